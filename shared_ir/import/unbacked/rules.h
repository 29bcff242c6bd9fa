// What operators do with dimensions of unknown sizes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "shared_ir/import/unbacked/padder.h"

namespace assay::unbacked {

// A call of the program with operands, integers or results of unknown sizes. Arguments are told by
// their positions and their names in the operator's schema.
class Call {
 public:
  Call(Padder& padder, const Node& called) : p(padder), node(called) {}

  // nullptr: not given, or None. That the rule looked at it is noted.
  const Arg* find(size_t position, std::string_view name) const;
  const Arg& given(size_t position, std::string_view name) const;
  bool has(size_t position, std::string_view name) const { return find(position, name) != nullptr; }
  // The number 1, or not given.
  bool is_one(size_t position, std::string_view name) const;
  bool is_tensor(const Arg& arg) const;
  const Padded& tensor(size_t position, std::string_view name) const;
  const Padded& tensor(const Arg& arg) const;
  std::vector<Arg> list(size_t position, std::string_view name) const;
  int64_t number(size_t position, std::string_view name, int64_t otherwise) const;
  bool flag(size_t position, std::string_view name) const;
  // A dimension of a tensor of `rank`, counted from the front.
  size_t dim(size_t position, std::string_view name, size_t rank, int64_t otherwise) const;
  // Sizes that are numbers for certain fail here.
  int64_t known(const Size& size, const char* what) const;

  // The shape of the result, as it is recorded, follows from this argument, or it changes no value.
  void follows(size_t position, std::string_view name) const { find(position, name); }
  // What a rule does not ask for, it would take for its default: an argument that it never looked
  // at fails here.
  void require_all_read() const;

  DType result_type(size_t output = 0) const;
  // Of dimensions that are recorded.
  const std::vector<SymbolExpr>& recorded(size_t output = 0) const;
  bool is_used(size_t output) const;
  // The call with other tensors: arguments that are tensors are replaced in order.
  void emit_same(const std::vector<TensorId>& tensors, std::vector<Extent> dims) {
    emit_as(node.op, tensors, std::move(dims));
  }
  // The same of another overload.
  void emit_as(const std::string& op, const std::vector<TensorId>& tensors,
               std::vector<Extent> dims);

  Padder& p;
  const Node& node;

 private:
  mutable std::set<const Arg*> read_;
  mutable std::vector<SymbolExpr> recorded_;
};

// Of integers, those that are there, and 0 elsewhere; that they lie in a table of an unknown size
// is demanded.
TensorId legal_index(Call& call, const Padded& index, const Extent& table);

// Fails for an index that PyTorch takes for flags, though it is uint8.
void refuse_byte_flags(Call& call, const Padded& index);

using Rule = void (*)(Call&);

// nullptr: there is none.
Rule find_rule(std::string_view op);

// "aten.add" of "aten.add.Tensor".
std::string_view base_name(std::string_view op);

// By families, of base names.
using Rules = std::map<std::string_view, Rule>;
const Rules& elementwise_rules();
const Rules& reduction_rules();
const Rules& movement_rules();
const Rules& cutting_rules();
const Rules& index_rules();
const Rules& writing_rules();
const Rules& source_rules();
const Rules& product_rules();
const Rules& order_rules();
const Rules& exchange_rules();

}  // namespace assay::unbacked
