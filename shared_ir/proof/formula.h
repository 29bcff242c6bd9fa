// Terms of lemmas: real numbers and masks, element by element, with sums and maxima over named
// dimensions.
//
//   formula := formula + formula | formula - formula | formula * formula | formula / formula
//            | -formula | (formula) | 3 | 1/2 | variable | size[dim] | function(formula, ...)
//            | reduction[dim](formula)
//
// A formula has a value at each coordinate of the dimensions. A reduction runs over its dimension
// and gives the same value at each of that dimension's coordinates, so that
// exp(x) / sum[d](exp(x)) is the softmax of x along d. Division is multiplication by a reciprocal,
// subtraction is addition of -1 times, square(x) is x * x, and select(m, x, y) is
// keep(m, x) + keep(not(m), y), where keep(m, x) is x where m holds and else 0.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/rational.h"

namespace assay {

struct Formula {
  enum class Kind : uint8_t { kVariable, kNumber, kSize, kCall };

  Kind kind = Kind::kNumber;
  std::string name;  // kVariable; kCall: "add", "mul", or a function of formula_functions()
  std::string dim;   // kSize; kCall of a reduction
  Rational number;   // kNumber
  std::vector<Formula> operands;  // kCall

  bool operator==(const Formula&) const = default;
};

// What may be called in a formula, by the name that core programs have for it.
struct FormulaFunction {
  std::string_view name;
  size_t operands;
  bool reduces;     // takes a dimension
  bool of_masks;    // its first operand is a mask
  bool makes_mask;  // it is a mask, of masks
};

// nullptr when there is no such function.
const FormulaFunction* find_function(std::string_view name);

Formula make_variable(std::string name);
Formula make_number(const Rational& number);
Formula make_call(std::string name, std::vector<Formula> operands, std::string dim = {});

// `place` is where the text starts. Throws UserError with the column of what is wrong.
Formula parse_formula(std::string_view text, const SourcePlace& place);

// In the language above; parses to the same formula.
std::string to_string(const Formula& formula);

// Every variable replaced by what `values` has for it; one that it does not have stays.
Formula substitute(const Formula& formula, const std::map<std::string, Formula>& values);

// The operand reached through operands path[0], path[1], ...; nullptr when there is none.
const Formula* at_path(const Formula& formula, std::span<const int32_t> path);
Formula* at_path(Formula& formula, std::span<const int32_t> path);

}  // namespace assay
