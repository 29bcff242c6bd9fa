// The padded program as it is made, operator by operator.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/import/unbacked/emitter.h"
#include "shared_ir/import/unbacked/extent.h"
#include "shared_ir/import/unbacked/unbacked.h"

namespace assay::unbacked {

// An integer of the program: a number, or a tensor int64 [] with the largest value that it can have
// (nullopt: not known).
struct Size {
  TensorId value = kNone;
  std::optional<int64_t> most;  // the number, where `value` is kNone

  bool is_number() const { return value == kNone; }
};

std::string to_string(const SymbolExpr& expr);

class Padder {
 public:
  explicit Padder(const UnbackedGraph& from);
  Graph run();

  Emitter& emit() { return emit_; }
  const UnbackedGraph& from() const { return from_; }
  // At the current node.
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;

  const Padded& operand(TensorId id) const;
  Size size(const SymbolExpr& expr);
  Size size(const Arg& arg);
  TensorId tensor_of(const Size& size);
  // A dimension of so many elements: that of the symbol, where it is one's.
  Extent extent_of(const SymbolExpr& expr);

  // Of an extent.
  TensorId mask(const Extent& extent);      // bool [bound]
  TensorId position(const Extent& extent);  // int64 [bound]: which of those that are there
  TensorId count(const Extent& extent);     // int64 []
  Extent masked(const Extent& extent, TensorId mask);  // those that are there and in the mask

  // bool, broadcast along all dimensions but `dim`.
  TensorId mask_along(const Padded& x, size_t dim);
  // Over all of these dimensions; kNone where all is there.
  TensorId mask_of(const Padded& x, const std::vector<size_t>& dims);
  // Zeros, or what is given, where it is not there.
  TensorId filled(const Padded& x, const std::vector<size_t>& dims,
                  std::optional<double> with = {});
  TensorId filled(const Padded& x);
  Padded packed(const Padded& x, size_t dim);
  // Cut or padded, packed: the program demands that there are no more elements.
  Padded resized(const Padded& x, size_t dim, const Extent& to);
  // Brings dimension dims[i] of each operand to one extent.
  Extent unify(const std::vector<std::pair<Padded*, size_t>>& dims);

  // What is taken to hold of the program: in the report's list.
  void assume(const std::string& what);
  // The program is defined only where this bool [] holds.
  void demand(TensorId condition);
  void demand_equal(const Size& size, const Extent& extent);
  // The same, but where the size is called `times` as many as `part`, which the extent has.
  void demand_count(const Arg& size, const Extent& extent, const Extent& part, int64_t times);

  // The node's result `output`: its dimensions are held against what was recorded. Nothing where
  // nobody uses it.
  void set_result(size_t output, Padded value);
  // A new size, which the recorded dimension must name.
  void define(const SymbolExpr& expr, const Extent& extent);

 private:
  struct Symbol {
    std::optional<Extent> extent;
    TensorId value = kNone;
    std::optional<int64_t> most;
    std::string made_by;
  };

  void run_node(const Node& node, NodeId id);
  void copy(const Node& node);
  bool depends_on_unknown(const Node& node) const;
  void read_item(const Node& node, const std::string& symbol);
  void assert_sizes(const Node& node);
  void find_bounds();
  void fit(Padded& value, size_t dim, const SymbolExpr& expr);
  void finish();
  Symbol& symbol(const std::string& name);
  bool is_count(const SymbolExpr& expr, const Extent& part, int64_t times) const;
  Arg copied(const Arg& arg) const;
  TensorId add_tensor(TensorId from, Shape shape);

  const UnbackedGraph& from_;
  Graph to_;
  Emitter emit_;
  const Node* node_ = nullptr;
  std::vector<Padded> values_;  // per tensor of from_
  std::map<std::string, Symbol> symbols_;
  std::map<std::string, int64_t> bounds_;  // that the program asserts
  std::map<std::string, Extent> made_;     // of sizes that are no lone symbols, by their texts
  std::vector<TensorId> demands_;
};

}  // namespace assay::unbacked
