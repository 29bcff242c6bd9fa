#include "shared_ir/proof/lemma.h"
#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {
namespace {

void expect_same(const Formula& formula) {
  ASSAY_CHECK(parse_formula(to_string(formula), {}) == formula,
              "a formula is another one when it is printed and read again");
}

}  // namespace

void lemma_file(std::string_view bytes) {
  LemmaTable table;
  table.add_text(bytes, "lemmas.toml");
  for (const Lemma& lemma : table.lemmas()) {
    expect_same(lemma.left);
    expect_same(lemma.right);
  }
}

}  // namespace assay::fuzz
