// Draws calls of operators that fit the tensors that a program has.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/drawing/placed_program.h"

namespace assay::test {

constexpr int64_t kMostElements = 384;  // of a tensor

inline bool has_dims(const Placed& placed) { return !placed.shape.empty(); }

class OperatorDrawing {
 public:
  OperatorDrawing(PlacedProgram& program, uint64_t seed) : program_(program), random_(seed) {}

  /// Some calls, or none where nothing fits.
  void add_any();

  const std::vector<Placed>& tensors() const { return pool_; }
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

 private:
  bool one_in(int64_t n) { return below(n) == 0; }
  template <typename Table>
  const auto& one_of(const Table& table) {
    return table[static_cast<size_t>(below(std::ssize(table)))];
  }
  size_t dim_of(const Shape& shape) { return static_cast<size_t>(below(std::ssize(shape))); }

  // -- operands --
  int64_t size();
  Shape shape();
  std::vector<int64_t> parts_of(int64_t size);
  DType dtype();
  Placed new_input(const Shape& shape, DType dtype, int64_t below = 0);
  Placed constant(const Shape& shape, DType dtype);
  /// A tensor that is there, a new one where none fits. `fits(placed)`.
  template <typename Fits>
  const Placed* find(const Fits& fits);
  Placed any_float();
  /// Of that shape, or of one that broadcasts to it.
  Placed fitting(const Shape& shape, DType dtype);
  Placed of_shape(const Shape& shape, DType dtype);
  Placed indices(const Shape& shape, int64_t below);

  // -- placements --
  Placed replicated(const Placed& x) { return program_.replicate(x, random_()); }
  /// No partial sum.
  Placed summed(const Placed& x);
  /// No rank lacks elements along the dimension; no partial sum.
  Placed whole_along(const Placed& x, size_t dim);
  /// Operands of an element-wise operator, held alike. Returns how its result is held.
  Placement align(std::vector<Placed>& operands, const Shape& result, bool linear);

  void keep(Placed made) { pool_.push_back(std::move(made)); }
  void pointwise(const std::string& op, std::vector<Placed> operands, std::vector<Argument> more,
                 DType dtype, bool linear = false);

  void add_unary();
  void add_binary();
  void add_scalar();
  void add_comparison();
  void add_logic();
  void add_choice();
  void add_cast();
  void add_permute();
  void add_view();
  void add_expand();
  void add_slice();
  void add_cat();
  void add_pad();
  void add_split();
  void add_reduction();
  void add_whole_reduction();
  void add_row_function();
  void add_norm();
  void add_product();
  void add_batched_product();
  void add_take();
  void add_gather();
  void add_scatter();
  void add_one_hot();
  void add_triangle();
  void add_source();
  void add_write();
  void add_reshard();

  PlacedProgram& program_;
  std::mt19937_64 random_;
  std::vector<Placed> pool_;
};

}  // namespace assay::test
