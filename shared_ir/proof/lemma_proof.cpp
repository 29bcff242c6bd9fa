#include "shared_ir/proof/lemma_proof.h"

#include <charconv>

namespace assay {

std::string leaf_name(int32_t leaf) { return "v" + std::to_string(leaf); }

int32_t leaf_number(const std::string& variable) {
  int32_t number = -1;
  if (variable.size() < 2 || variable[0] != 'v') return -1;
  const char* end = variable.data() + variable.size();
  const auto [stop, error] = std::from_chars(variable.data() + 1, end, number);
  return error == std::errc() && stop == end && number >= 0 ? number : -1;
}

Formula right_side(const LemmaProof& proof) {
  Formula right = make_variable(leaf_name(proof.right));
  if (proof.factor.is_one()) return right;
  return make_call("mul", {make_number(proof.factor), std::move(right)});
}

}  // namespace assay
