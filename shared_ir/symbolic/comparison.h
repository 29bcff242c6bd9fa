// What a comparison of sizes says of two values: integers, or terms of a solver.
#pragma once

#include "shared_ir/symbolic/size_expression.h"

namespace assay {

template <class Value>
auto compare(SizeComparison::Kind kind, const Value& a, const Value& b) {
  switch (kind) {
    case SizeComparison::Kind::kEqual:
      return a == b;
    case SizeComparison::Kind::kNotEqual:
      return a != b;
    case SizeComparison::Kind::kLess:
      return a < b;
    case SizeComparison::Kind::kLessEqual:
      return a <= b;
  }
  throw InternalError("a comparison of no kind");
}

}  // namespace assay
