// The expression language of operator declarations: calls of builtins (builtins.h) on parameters,
// `let` names and literals.
//
//   expr    := name | literal | list | call
//   literal := 12 | 0.5 | inf | true | false | none | int64 (or another dtype) | "text {name}"
//   list    := [expr, ...]
//   call    := builtin(expr, ...)
//
// In a text, {parameter} is replaced by the attribute's text, or the let's. when(condition, a, b)
// evaluates only the chosen branch.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/lower/build/value.h"

namespace assay::lowering {

struct Builtin;

struct Expr {
  enum class Kind : uint8_t { kLiteral, kParameter, kLet, kText, kList, kCall, kWhen };

  Kind kind = Kind::kLiteral;
  Value literal;                     // kLiteral
  int32_t index = 0;                 // kParameter, kLet
  std::vector<std::string> pieces;   // kText: texts around its children, one more than children
  const Builtin* builtin = nullptr;  // kCall
  std::vector<Expr> children;        // kText: parameters; kList, kCall, kWhen: arguments
};

// Finds a name: a parameter or let of the declaration (kParameter or kLet with its index), else
// kLiteral with none.
using NameLookup = std::function<Expr(std::string_view)>;

// `place` is where the text starts. Throws UserError with the column of what is wrong.
Expr parse_expression(std::string_view text, const SourcePlace& place, const NameLookup& lookup);

struct Parameter {
  std::string name;
  bool written = false;  // marked "name!": the operator writes into this argument
  bool required = true;
  Value fallback;  // the default
};

// "self, dim=-1, out!, dims=[], half_to_float=false". Throws UserError with the column of what is
// wrong.
std::vector<Parameter> parse_schema(std::string_view text, const SourcePlace& place);

}  // namespace assay::lowering
