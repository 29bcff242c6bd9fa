// One operator's declaration, parsed: its parameters and the expressions of its results.
//
//   ["_C.fused_add_rms_norm.default"]
//   schema = "input!, residual!, weight, epsilon"     # in the operator's order; name! is written
//   into; name=default also = ["..."]                                    # other names of the same
//   operator let.sum = "add(input, residual)"                  # named once, used by any result
//   returns = "..."                                   # or a list, one a return; an expression may
//   give a list of tensors writes.input = "..."                              # the new value of
//   each parameter that is written into assume = "..."                                    # an
//   assumption to list in every report that rests on it
//   each = true                                       # of the elements of the lists that it is
//   given, one after the other: results are lists, one a return. `each = ["aten.*.Tensor", ...]` in
//   place of all else, under a name with one "*" too: whatever the first of these that is declared
//   says, of the elements
//   in_flight = ["result", "x"]                       # memory that it fills ("result", or what it
//   writes) or reads (parameters) until the program waits for its result
//   kernel_error = 1e-7                               # how far PyTorch's kernel stays from this
//   meaning in float64, relatively, where it keeps a number in single precision
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_ir/lower/declare/expression.h"

namespace assay {

struct OperatorDeclaration {
  std::string name;
  SourcePlace place;
  std::vector<lowering::Parameter> parameters;
  std::vector<lowering::Expr> lets;
  std::vector<lowering::Expr> returns;
  std::vector<lowering::Expr> writes;  // of the parameters marked `written`, in their order
  std::string assume;
  bool each = false;          // of elements of lists
  bool communicates = false;  // calls a builtin between ranks: never dead, whoever uses its results
  bool waits = false;         // for the collective that fills its operand
  bool asynchronous = false;  // goes on until the program waits for its result, which it fills, and
  std::vector<std::string> read_in_flight;  // reads these parameters
  double kernel_error = 0;                  // relative, of PyTorch's kernel in float64
};

}  // namespace assay

namespace assay::lowering {

// Parses one TOML table, whose first line is line `place.line` of the file. Throws UserError.
OperatorDeclaration parse_declaration(const std::string& name, std::string_view toml,
                                      const SourcePlace& place);

}  // namespace assay::lowering
