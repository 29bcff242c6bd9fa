// One call of a builtin: typed access to its arguments, and where to report what does not fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/lower/build/builder.h"
#include "shared_ir/lower/build/labels.h"
#include "shared_ir/lower/build/value.h"
#include "shared_ir/mesh.h"
#include "shared_ir/site.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

// What is the same for all calls while one node is lowered.
struct Context {
  Builder& builder;
  const Groups& groups;
  Rank rank = 0;
  Site site;
  const Tensor* recorded = nullptr;  // the output that is being computed
  LabelBinder labels;
};

struct Unsupported {
  std::string reason;
};

// Below it, an integer is the double that it is read as.
inline constexpr double kExactIntegers = 0x1p53;

class Call {
 public:
  Call(Context& context, std::string_view name, std::vector<Value> arguments)
      : context_(context), name_(name), arguments_(std::move(arguments)) {}

  Builder& builder() { return context_.builder; }
  Context& context() const { return context_; }

  size_t size() const { return arguments_.size(); }
  const Value& operator[](size_t i) const { return arguments_[i]; }
  // Given, and not none.
  bool has(size_t i) const { return i < size() && !arguments_[i].is_none(); }

  // Throws UserError at the node: "GRAPH: node 'NAME' (OP): BUILTIN: message".
  [[noreturn]] void fail(const std::string& message) const;

  // The operator is declared, but not for these arguments: the node becomes opaque.
  [[noreturn]] void unsupported(const std::string& reason) const { throw Unsupported{reason}; }

  // Each throws that UserError when argument i is missing or of another type.
  CoreId tensor(size_t i) const;
  std::vector<CoreId> tensors(size_t i) const;  // a list of tensors, or one
  const ValueList& list(size_t i) const;
  Int integer(size_t i) const;
  std::vector<Int> integers(size_t i) const;  // a list of integers, or one
  bool flag(size_t i) const;
  const std::string& text(size_t i) const;
  DType dtype(size_t i) const;

  // The operands from argument `first` on that are marked linear, a bit each.
  uint32_t linear_operands(size_t first) const;

  // A tensor, if argument i is one.
  const TensorRef* tensor_if(size_t i) const { return arguments_[i].get_if<TensorRef>(); }
  // A number as double (integers and flags too); nothing if it is no number.
  std::optional<double> number_if(size_t i) const;
  // Integers that doubles do not hold for certain are Unsupported.
  double number(size_t i) const;
  // The number as an exact coefficient. Fails where it is not finite or leaves 64 bits.
  Rational coefficient(size_t i);
  Rational coefficient_of(double value);

  // A dimension 0 <= d < rank; negative ones count from the end. A scalar (rank 0) accepts 0 and -1
  // as PyTorch does.
  Int dim(size_t i, Int rank) const { return checked_dim(integer(i), rank); }
  Int checked_dim(Int dim, Int rank) const;
  // The same of a tensor that must have dimensions: a scalar has none to name.
  Int existing_dim(Int dim, Int rank) const;
  // Sorted, without repetition. None or an empty list: every dimension.
  std::vector<Int> dims_or_all(size_t i, Int rank) const;
  // A shape: no negative size.
  Shape sizes(size_t i) const;

  // The dtype given, else that of the recorded output.
  DType dtype_or_recorded(size_t i) const;

 private:
  Context& context_;
  std::string_view name_;
  std::vector<Value> arguments_;
};

inline Value tensor_value(CoreId id) { return {TensorRef{id}}; }

}  // namespace assay::lowering
