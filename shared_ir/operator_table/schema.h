// What operators write, and what their results share memory with. PyTorch's schemas say it of its
// own (schemas.txt, which record_schemas.py makes), declarations of the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/lower/declare/declaration.h"

namespace assay::memory {

enum class Sharing : uint8_t {
  kNothing,     // memory of its own
  kWritten,     // the parameter itself, which has been written
  kView,        // a view of the parameter
  kViewOrCopy,  // one or the other: strides decide, or what an argument asks for
};

struct SchemaParameter {
  std::string_view name;
  bool written = false;
  std::string_view unless_false;  // written unless this argument is false; empty: always
};

struct SchemaResult {
  Sharing sharing = Sharing::kNothing;
  size_t parameter = 0;  // that it shares memory with
  bool list = false;
};

// Texts are those of the table, or of the declaration.
struct OperatorSchema {
  bool torch = false;  // PyTorch's own
  bool known = true;   // false: it may write all it reads, and its results may be any operand
  std::vector<SchemaParameter> parameters;  // empty where the operator has no effects at all
  std::vector<SchemaResult> results;        // empty where there are no effects
  bool pointwise = false;     // element i of the result depends on elements i of the operands alone
  bool relayout = false;      // changes sizes and strides of the tensor object that it is given
  bool strides = false;       // depends on strides and offsets of its operands
  bool laid_out = false;      // returns memory with the strides that it is told
  bool unwritten = false;     // leaves in what it writes whatever the memory held
  bool random = false;        // draws from a generator
  bool communicates = false;  // takes part in an exchange with other ranks
  bool core = false;          // one of those that PyTorch's exports reduce programs to
  bool composite = false;     // a result may be an operand, which the schema does not say
  std::string_view functional;  // returns what this one writes, and writes nothing; empty: unknown

  bool writes() const;
};

// PyTorch's own schema; "aten.mm.default", "aten.mm" and "aten::mm" are one operator.
std::optional<OperatorSchema> torch_schema(std::string_view op);

// PyTorch's operators that its exports reduce programs to, as graphs name them, sorted.
std::vector<std::string> core_operators();

// The schema of an operator by PyTorch's, and by its declaration (nullptr: it has none).
OperatorSchema schema_of(std::string_view op, const OperatorDeclaration* declaration);

}  // namespace assay::memory
