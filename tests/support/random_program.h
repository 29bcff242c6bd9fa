// Random core programs on small tensors.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/graph.h"

namespace assay::test {

/// Appends random operators to a program, each fitting the shapes that are there.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  /// A graph input; its value is the caller's.
  CoreId input(const std::string& name, Shape shape, DType dtype);
  void add_movement();
  void add_arithmetic();
  void add_reduction();
  void add_block();
  void add_integer();
  void add_one_hot();
  /// Rows of a table at integer indices, as lowering writes them, and a mask over the rows.
  void add_masked_gather();
  /// One of the above.
  void add_any();

  const Graph& graph() const { return graph_; }
  const CoreProgram& program() const { return program_; }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  const CoreOp& op(CoreId id) const { return program_.ops[static_cast<size_t>(id)]; }
  CoreId append(CoreOp made);
  CoreId append(Prim prim, DType dtype, Shape shape, std::vector<CoreId> operands);
  /// `x` with new dimensions of size 1 where `shape` says 1 and `x` has none, expanded to `shape`.
  CoreId broadcast(CoreId x, Shape ones, const Shape& shape);
  CoreId constant(int64_t value, DType dtype, const Shape& shape);
  template <typename Want>
  CoreId pick(const Want& want);
  /// An operand of that shape, by broadcast of a smaller one where there is none.
  CoreId of_shape(const Shape& shape, bool floating);
  bool has_floats(CoreId id) const { return is_floating(op(id).dtype); }

  std::mt19937_64 random_;
  Graph graph_;
  CoreProgram program_;
};

}  // namespace assay::test
