// Operators of fixed sizes that stand for one of unknown sizes.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared_ir/graph.h"

namespace assay::unbacked {

Arg tensor_arg(TensorId id);
Arg sizes_arg(const Shape& sizes);

class Emitter {
 public:
  // No tensor that is made bears a name of `names`.
  Emitter(Graph& graph, const std::unordered_map<std::string, TensorId>& names)
      : graph_(graph), names_(names) {}

  // What follows is of this node: of its line, with names that begin with `name`.
  void begin(const Node& origin, const std::string& name);

  const Shape& shape(TensorId id) const { return graph_.tensors[static_cast<size_t>(id)].shape; }
  DType dtype(TensorId id) const { return graph_.tensors[static_cast<size_t>(id)].dtype; }
  const Node* producer(TensorId id) const;

  // One result; a call that was made before gives its result. A dtype that comes last is the
  // keyword argument.
  TensorId call(const std::string& op, std::vector<Arg> args, DType dtype, Shape shape);
  // A call that communicates, which is another one each time.
  TensorId exchange(const std::string& op, std::vector<Arg> args, DType dtype, Shape shape);

  TensorId number(int64_t value);  // int64 []
  TensorId full(const Shape& shape, Arg value, DType dtype);
  TensorId arange(int64_t count);  // int64
  TensorId reshape(TensorId x, const Shape& shape);
  TensorId expand(TensorId x, const Shape& shape);
  TensorId cast(TensorId x, DType dtype);
  TensorId cat(const std::vector<TensorId>& pieces, int64_t dim);
  // `count` elements of dimension `dim` from `start` on.
  TensorId slice(TensorId x, int64_t dim, int64_t start, int64_t count);
  TensorId sum(TensorId x, std::vector<int64_t> dims);
  // add, sub and mul of one dtype, broadcast.
  TensorId arithmetic(const std::string& op, TensorId a, TensorId b);
  TensorId compare(const std::string& op, TensorId a, TensorId b);  // bool, broadcast
  TensorId both(TensorId a, TensorId b);                            // flags; kNone is true
  TensorId where(TensorId condition, TensorId x, TensorId otherwise);
  // int64: the indices of the elements of a row in ascending order, equal ones in theirs.
  TensorId stable_order(TensorId x);
  // Rows of dimension `dim` at integers.
  TensorId take(TensorId x, int64_t dim, TensorId index);

 private:
  TensorId append(const std::string& op, std::vector<Arg> args, DType dtype, Shape shape,
                  int32_t output = 0);
  Shape broadcast(TensorId a, TensorId b) const;

  Graph& graph_;
  const std::unordered_map<std::string, TensorId>& names_;
  Node origin_;  // its place alone
  std::string name_;
  std::map<std::string, TensorId> known_;
  int64_t made_ = 0;
};

// The shape that both broadcast to, dimensions aligned at the end.
Shape broadcast_shape(const Shape& a, const Shape& b);

}  // namespace assay::unbacked
