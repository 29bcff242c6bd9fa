// Sizes and constraints over symbols, as programs that were captured with dynamic shapes write
// them: "2*s0", "(s0 + 1) // 2", "s0 % 4 == 0", "1 <= s0 <= 512".
//
//   constraint := sum comparison sum {comparison sum}
//   comparison := == | != | < | <= | > | >=
//   sum        := product {(+ | -) product}
//   product    := factor {(* | // | / | %) factor}
//   factor     := - factor | atom {** INTEGER}
//   atom       := INTEGER | NAME | ( sum ) | FUNCTION ( sum , sum )
//
// "//" and "/" are floor division, "%" its remainder; FUNCTION is FloorDiv, CleanDiv, Mod or
// PythonMod.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

struct SymbolExpr {
  enum class Kind : uint8_t {
    kNumber,
    kSymbol,
    kAdd,
    kSubtract,
    kMultiply,
    kFloorDivide,
    kRemainder,
  };

  Kind kind = Kind::kNumber;
  PlainInt number = 0;               // kNumber
  std::string name;                  // kSymbol
  std::vector<SymbolExpr> operands;  // two; none of kNumber and kSymbol
};

struct SizeComparison {
  enum class Kind : uint8_t { kEqual, kNotEqual, kLess, kLessEqual };
  Kind kind;
  SymbolExpr left, right;
};

// A condition on symbols: all of its comparisons hold ("a < b < c" is two).
struct Constraint {
  std::string text;
  SourcePlace place;
  std::vector<SizeComparison> comparisons;
};

// Letters, digits and _, no digit first.
bool is_symbol_name(std::string_view text);

// `place` is where the text starts. Throw UserError with the column of what is wrong.
SymbolExpr parse_size(std::string_view text, const SourcePlace& place);
Constraint parse_constraint(std::string_view text, const SourcePlace& place);

// Values of symbols at an instance.
using SymbolValues = std::map<std::string, Int>;

// Throw UserError at `place` for a symbol without a value, for division by zero, and for what
// leaves 64 bits.
Int evaluate(const SymbolExpr& expr, const SymbolValues& values, const SourcePlace& place);
bool holds(const Constraint& constraint, const SymbolValues& values);

// parse_size and evaluate.
Int evaluate_size(std::string_view text, const SymbolValues& values, const SourcePlace& place);

}  // namespace assay
