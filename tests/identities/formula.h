// Formulas of the table of identities: calls of PyTorch's operators on named operands.
//
//   sum     := product (+|- product)*          product := power (*|/ power)*
//   power   := -power | primary [** power]     primary := number | "text" | name | (sum)
//                                                       | name(argument, ...) | [argument, ...]
//   argument := sum | name=sum
//
// A name is an operand, a size, true, false or none. + - * / ** and unary - are calls of add, sub,
// mul, div, pow and neg.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"

namespace assay::test {

struct PairFormula {
  enum class Kind : uint8_t { kNumber, kText, kName, kList, kCall };

  Kind kind = Kind::kNumber;
  double number = 0;
  bool whole = false;   // kNumber: written as an integer
  std::string name;     // of what is named or called; the text
  std::string keyword;  // of an argument that is given by its name
  std::vector<PairFormula> operands;

  bool is_call(std::string_view of) const { return kind == Kind::kCall && name == of; }
};

/// Throws UserError with the column of what is no formula.
PairFormula parse_pair_formula(std::string_view text, const SourcePlace& place);

std::string to_string(const PairFormula& formula);

PairFormula named(std::string name);
PairFormula number_of(double value);
PairFormula call_of(std::string name, std::vector<PairFormula> operands);

/// Each name is what the function makes of it.
PairFormula substituted(PairFormula formula,
                        const std::function<PairFormula(const std::string&)>& by);

/// With what + - * / and ** of numbers come to, wherever they are.
PairFormula folded(PairFormula formula);

}  // namespace assay::test
