// Each shipped lemma, changed in one place, is no longer certified.
#include <gtest/gtest.h>

#include <functional>
#include <span>

#include "static_check/certify/certify.h"
#include "static_check/lemmas/shipped_lemmas.h"

namespace assay {
namespace {

struct Mutant {
  std::string what;
  Lemma lemma;
};

// The place is the operand of a cosine, which does not see its sign.
bool is_even(const Formula& root, const std::vector<int32_t>& path) {
  return !path.empty() && at_path(root, std::span(path).first(path.size() - 1))->name == "cos";
}

// Every place of the formula, changed by each of the edits that apply there.
void edit(const Formula& root, std::vector<int32_t>& path,
          const std::function<void(const std::string& what, const Formula& changed)>& found) {
  const Formula& here = *at_path(root, path);
  const auto change = [&](const std::string& what, Formula to) {
    Formula changed = root;
    *at_path(changed, path) = std::move(to);
    found(what, changed);
  };
  if (here.kind == Formula::Kind::kNumber) {
    change("another constant", make_number(here.number + 1));
    if (!here.number.is_zero()) change("another sign", make_number(-here.number));
  }
  if (here.kind == Formula::Kind::kSize) change("a constant for a size", make_number(1));
  if (here.kind == Formula::Kind::kCall) {
    const bool mask = find_function(here.name) != nullptr && find_function(here.name)->makes_mask;
    if (here.name == "add" || here.name == "mul" || here.name == "and" || here.name == "or" ||
        here.name == "maximum") {
      change("a dropped first operand", here.operands[1]);
      change("a dropped second operand", here.operands[0]);
    }
    if (here.name == "keep") {
      change("a dropped mask", here.operands[1]);
      change("a negated mask",
             make_call("keep", {make_call("not", {here.operands[0]}), here.operands[1]}));
    }
    if (here.name == "sum") change("another reduction", make_call("max", here.operands, here.dim));
    if (here.name == "max") change("another reduction", make_call("sum", here.operands, here.dim));
    if (here.name == "exp" || here.name == "log" || here.name == "reciprocal" ||
        here.name == "sqrt" || here.name == "sin" || here.name == "cos")
      change("a dropped function", here.operands[0]);
    if (!mask && here.name != "maximum" && !is_even(root, path))
      change("another sign", make_call("mul", {make_number(-1), here}));
  }
  for (size_t i = 0; i < here.operands.size(); ++i) {
    path.push_back(static_cast<int32_t>(i));
    edit(root, path, found);
    path.pop_back();
  }
}

// Changes of the right side, and of its dimension where there is another.
std::vector<Mutant> mutants_of(const Lemma& lemma) {
  std::vector<Mutant> mutants;
  std::vector<int32_t> path;
  edit(lemma.right, path, [&](const std::string& what, const Formula& changed) {
    Mutant mutant{what + ": " + to_string(changed), lemma};
    mutant.lemma.right = changed;
    mutants.push_back(std::move(mutant));
  });
  return mutants;
}

class Mutants : public testing::TestWithParam<std::string> {};

TEST_P(Mutants, AreNotCertified) {
  const LemmaTable table = builtin_lemmas();
  const Lemma& lemma = *table.find(GetParam());
  for (const Mutant& mutant : mutants_of(lemma))
    EXPECT_FALSE(certify(mutant.lemma).certified()) << mutant.what;
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  const LemmaTable table = builtin_lemmas();
  for (const Lemma& lemma : table.lemmas()) names.push_back(lemma.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Of, Mutants, testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

TEST(Mutants, OfOrderInWhatDoesNotCommuteAreNotCertified) {
  const LemmaTable table = builtin_lemmas();
  int64_t swapped = 0;
  for (const Lemma& lemma : table.lemmas()) {
    // a - b is a + -1 * b: swapped, it is -1 * a + b.
    if (lemma.right.name != "add" || lemma.right.operands[1].name != "mul") continue;
    const Formula& second = lemma.right.operands[1];
    if (second.operands[0] != make_number(-1)) continue;
    Lemma mutant = lemma;
    mutant.right = make_call(
        "add", {make_call("mul", {make_number(-1), lemma.right.operands[0]}), second.operands[1]});
    EXPECT_FALSE(certify(mutant).certified()) << lemma.name;
    ++swapped;
  }
  EXPECT_GE(swapped, 4);
}

}  // namespace
}  // namespace assay
