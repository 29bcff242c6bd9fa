// One call of the program with complex operands or results, and the calls that stand for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_ir/import/complex_parts/complex_parts.h"

namespace assay::complex_parts {

// Tensors or Python numbers; `im` is none where the number is real.
struct Parts {
  Arg re;
  Arg im;
};

Arg tensor_argument(TensorId id);
Arg sizes_argument(const Shape& sizes);

class Call {
 public:
  // Calls are appended to `made`, tensors to `graph`.
  Call(Graph& graph, const ComplexTensors& complex, std::vector<Node>& made, const Node& node,
       const PlaceOfNode& place);

  const Node& node() const { return node_; }
  // Arguments are told by their positions and their names in the operator's schema. nullptr: not
  // given, or None.
  const Arg* find(size_t position, std::string_view name) const;
  const Arg& given(size_t position, std::string_view name) const;
  const Tensor& tensor(const Arg& arg) const;
  // An integer that depends on values (unbacked.h) is none.
  bool is_tensor(const Arg& arg) const {
    const auto* tensor = std::get_if<TensorArg>(&arg.value);
    return tensor != nullptr && tensor->id >= 0;
  }
  bool is_complex(const Arg& arg) const;
  // Dimensions without that of the parts, of the first operand that is complex.
  size_t rank() const;
  // Counted from the front, one of so many.
  Int dimension(const Arg& arg, PlainInt rank) const;
  // The recorded first result. Its shape, if it is complex, without the parts.
  const Tensor& result() const;
  Shape result_shape() const;
  bool makes_complex() const;

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;

  // In the result's dtype, as PyTorch converts operands before it computes with them. `label` is
  // for the names of what is made.
  Parts parts(const Arg& arg, const std::string& label);
  // A complex tensor; a number and a real one get an imaginary part of zeros.
  Arg whole(const Arg& arg, const std::string& label);
  // A number, or a real tensor with a last dimension of 1, which broadcasts over the parts.
  Arg along_parts(const Arg& arg, const std::string& label);

  // Of the result's dtype, where none is given.
  Arg emit(std::string_view op, std::vector<Arg> args, const Shape& shape, const std::string& label,
           std::optional<DType> dtype = {});
  // Elementwise, of tensors; a factor may be a number.
  Arg add(const Arg& a, const Arg& b, const std::string& label);
  Arg sub(const Arg& a, const Arg& b, const std::string& label);
  Arg mul(const Arg& a, const Arg& b, const std::string& label);
  Arg div(const Arg& a, const Arg& b, const std::string& label);
  Arg map(std::string_view op, const Arg& a, const std::string& label);
  Arg full(const Shape& shape, Arg value, const std::string& label);

  // What makes the results of the node; the last that is emitted.
  void finish(std::string_view op, std::vector<Arg> args,
              std::vector<std::pair<std::string, Arg>> kwargs = {});
  void finish(const Parts& parts);

 private:
  Arg pointwise(std::string_view op, const Arg& a, const Arg& b, const std::string& label);
  Arg cast(const Arg& arg, const std::string& label);
  Arg part(const Arg& arg, size_t which, const std::string& label);
  Arg stack(const Arg& re, const Arg& im, const std::string& label);
  Node call_of(std::string_view op, std::vector<Arg> args) const;
  std::string fresh_name(const std::string& label) const;

  Graph& graph_;
  const ComplexTensors& complex_;
  std::vector<Node>& made_;
  const Node& node_;
  const PlaceOfNode& place_;
  std::string name_;
  std::map<std::pair<TensorId, size_t>, Arg> taken_;  // parts of operands
};

}  // namespace assay::complex_parts
