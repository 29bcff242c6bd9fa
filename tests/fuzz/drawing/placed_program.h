// A sequential program and its ranks, written operator by operator at once: the ranks compute what
// the program computes, each its part.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "tests/support/graph_builder.h"

namespace assay::test {

/// How the ranks of each group hold a tensor.
struct Placement {
  enum class Kind : uint8_t {
    kReplicated,
    kSharded,  // member m has `sizes[m]` elements along `dim`
    kPartial,  // the tensor is the sum of what the members have
  };
  Kind kind = Kind::kReplicated;
  size_t dim = 0;
  std::vector<int64_t> sizes = {};

  bool is_sharded() const { return kind == Kind::kSharded; }
  bool is_partial() const { return kind == Kind::kPartial; }
  bool operator==(const Placement&) const = default;
};

inline Placement sharded(size_t dim, std::vector<int64_t> sizes) {
  return {Placement::Kind::kSharded, dim, std::move(sizes)};
}
inline Placement partial() { return {Placement::Kind::kPartial}; }

/// A list argument.
inline Argument integers(const std::vector<int64_t>& values) {
  return std::vector<Argument>(values.begin(), values.end());
}

/// 0: the sequential program; r + 1: rank r.
using Side = size_t;

struct Placed {
  std::vector<TensorRef> on;  // per side
  Shape shape;                // of the sequential tensor
  DType dtype = DType::kFloat32;
  Placement placement;
  int64_t below = 0;    // of an integer input that indexes: its elements are less; 0: anything
  bool copied = false;  // the ranks' tensors are no views of what the sequential one is a view of

  Argument operator[](Side side) const { return on[side]; }
};

class PlacedProgram {
 public:
  using Arguments = std::function<std::vector<Argument>(Side)>;

  /// The groups have as many members each, and no rank in common.
  explicit PlacedProgram(std::vector<std::vector<Rank>> groups);

  size_t members() const { return groups_[0].size(); }
  size_t sides() const { return builders_.size(); }
  size_t nodes() const { return builders_[0].graph().nodes.size(); }
  const std::vector<Placed>& inputs() const { return inputs_; }

  /// Which member of its group a rank is.
  size_t member(Side rank) const { return member_of_[rank - 1]; }
  /// A shape of the sequential program, on that side.
  Shape local(Shape shape, const Placement& placement, Side side) const;

  Placed input(const Shape& shape, DType dtype, const Placement& placement, int64_t below = 0);
  Placed call(const std::string& op, const Arguments& arguments, const Shape& shape, DType dtype,
              const Placement& placement);
  /// One call with several results of these shapes and the same placement.
  std::vector<Placed> call_many(const std::string& op, const Arguments& arguments,
                                const std::vector<TensorType>& results, const Placement& placement);

  /// The same tensor, each rank having all of it. `kind` chooses among ways to get there.
  Placed replicate(const Placed& x, uint64_t kind);
  /// The same tensor, each rank having its part of it.
  Placed shard(const Placed& x, size_t dim, const std::vector<int64_t>& sizes);
  /// A sum over members, of which each has as much; its first dimension is divisible.
  Placed reduce_scatter(const Placed& x);
  /// The largest (or smallest) element that any member has.
  Placed reduce_extremum(const Placed& x, const char* reduce);

  void output(const Placed& x, bool expected);

  Case build() const;

 private:
  const std::vector<Rank>& group(Side rank) const { return groups_[group_of_[rank - 1]]; }
  std::string name_of_group(Side rank) const;
  CleanExpr on_rank(const Placed& x, Rank rank) const;
  std::vector<CleanExpr> replicas(const Placed& x) const;
  std::string fresh_name();
  /// A call on the ranks alone.
  void on_ranks(Placed& x, const std::string& op, const Arguments& arguments,
                const Placement& placement, const Shape& shape);
  void collective(Placed& x, const std::string& op, const Arguments& arguments,
                  const Placement& placement, const Shape& shape);
  /// Dimension `dim` comes first, or goes back to its place.
  void move_dim(Placed& x, size_t dim, bool to_front);
  void gather_even(Placed& x);
  void gather_uneven(Placed& x);

  std::vector<std::vector<Rank>> groups_;
  std::vector<size_t> group_of_, member_of_;  // per rank
  std::vector<GraphBuilder> builders_;        // per side
  std::vector<Placed> inputs_;
  std::vector<Relation> relations_;
  std::vector<Expectation> expectations_;
  size_t names_ = 0;
};

}  // namespace assay::test
