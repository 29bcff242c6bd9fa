// Primitives whose operands do not fit each other: what a damaged capture, or a declaration that
// does not look at its operands, would make.
#pragma once

namespace assay::lowering {

struct OperandsDoNotFit {
  const char* rule;  // that they break
};

// Throws OperandsDoNotFit where the rule is broken.
inline void require(bool holds, const char* rule) {
  if (!holds) throw OperandsDoNotFit{rule};
}

}  // namespace assay::lowering
