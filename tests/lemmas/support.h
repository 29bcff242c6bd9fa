// Lemmas and formulas from text.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/proof/lemma.h"

namespace assay::test {

inline Formula formula(const std::string& text) { return parse_formula(text, {"test", 1, 1}); }

inline Lemma lemma(const std::string& left, const std::string& right,
                   const std::string& conditions = "") {
  LemmaTable table;
  table.add_text("[tested]\nleft = \"" + left + "\"\nright = \"" + right + "\"\nwhere = [" +
                     conditions + "]\nsource = \"test\"\n",
                 "test.toml");
  return table.lemmas().front();
}

}  // namespace assay::test
