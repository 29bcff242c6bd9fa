// What moves elements, whatever they are: core operators and blocks.
#pragma once

#include <algorithm>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/reference/index.h"
#include "shared_ir/reference/tensor.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {

// out[c] = operand at strides * c + offset.
template <class Number>
void read_strided(const TensorOf<Number>& x, const std::vector<Int>& strides, Int offset,
                  TensorOf<Number>& out) {
  size_t i = 0;
  for_each_coordinate(out.shape, [&](const auto& at) {
    out.values[i++] = x.values[offset + address(at, strides)];
  });
}

// `out` has its shape and room for its values.
template <class Number>
void permute(const CoreOp& op, const TensorOf<Number>& x, TensorOf<Number>& out) {
  std::vector<Int> own = strides_of(x.shape), strides;
  for (Int dim : op.ints) strides.push_back(own[dim]);
  read_strided(x, strides, 0, out);
}

template <class Number>
void expand(const TensorOf<Number>& x, TensorOf<Number>& out) {
  std::vector<Int> strides = strides_of(x.shape);
  for (size_t i = 0; i < strides.size(); ++i)
    if (x.shape[i] == 1) strides[i] = 0;
  read_strided(x, strides, 0, out);
}

template <class Number>
void slice(const CoreOp& op, const TensorOf<Number>& x, TensorOf<Number>& out) {
  std::vector<Int> strides = strides_of(x.shape);
  Int offset = op.ints[1] * strides[op.ints[0]];
  strides[op.ints[0]] *= op.ints[2];
  read_strided(x, strides, offset, out);
}

// Writes x into `out`, shifted along `dim`.
template <class Number>
void place(const TensorOf<Number>& x, TensorOf<Number>& out, Int dim, Int start) {
  std::vector<Int> strides = strides_of(out.shape);
  size_t i = 0;
  for_each_coordinate(x.shape, [&](const auto& at) {
    out.values[address(at, strides) + start * strides[dim]] = x.values[i++];
  });
}

template <class Number>
void cat(Int dim, const std::vector<const TensorOf<Number>*>& pieces, TensorOf<Number>& out) {
  Int start = 0;
  for (const TensorOf<Number>* piece : pieces) {
    place(*piece, out, dim, start);
    start += piece->shape[dim];
  }
}

// Calls visit(element of the result, element of x) for every element of x that a reduction over
// `dims` (sorted) takes, in order. Both are positions.
template <class Visit>
void for_each_reduced(const Shape& shape, const std::vector<Int>& dims, const Shape& result,
                      Visit visit) {
  std::vector<Int> out_strides = strides_of(result), strides(shape.size(), 0);
  for (size_t dim = 0, kept = 0; dim < shape.size(); ++dim)
    if (!std::binary_search(dims.begin(), dims.end(), static_cast<Int>(dim)))
      strides[dim] = out_strides[kept++];
  size_t i = 0;
  for_each_coordinate(shape, [&](const auto& at) { visit(address(at, strides), i++); });
}

// The strides of a tensor's dimensions, apart for parallel labels (by label) and for whole ones (in
// its own order).
struct BlockView {
  Shape whole_shape;
  std::vector<Int> whole_strides;
  std::vector<Int> label_strides;

  BlockView(const std::vector<BlockSpec::Dim>& dims, const Shape& shape, size_t labels)
      : label_strides(labels, 0) {
    std::vector<Int> strides = strides_of(shape);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].whole) {
        whole_shape.push_back(shape[i]);
        whole_strides.push_back(strides[i]);
      } else {
        label_strides[dims[i].label] = strides[i];
      }
    }
  }
};

// Calls function(blocks of the operands, block of the result to fill) for all parallel coordinates.
template <class Number, class Function>
void for_each_block(const BlockSpec& spec, const std::vector<const TensorOf<Number>*>& operands,
                    TensorOf<Number>& out, Function function) {
  Shape sizes;  // of parallel labels; 1 for whole ones, which the blocks hold
  auto add_sizes = [&](const std::vector<BlockSpec::Dim>& dims, const Shape& shape) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (static_cast<size_t>(dims[i].label) >= sizes.size()) sizes.resize(dims[i].label + 1, 1);
      if (!dims[i].whole) sizes[dims[i].label] = shape[i];
    }
  };
  for (size_t k = 0; k < operands.size(); ++k) add_sizes(spec.operands[k], operands[k]->shape);
  add_sizes(spec.output, out.shape);
  std::vector<BlockView> views;
  std::vector<TensorOf<Number>> blocks;
  for (size_t k = 0; k < operands.size(); ++k) {
    views.emplace_back(spec.operands[k], operands[k]->shape, sizes.size());
    blocks.push_back({views[k].whole_shape, std::vector<Number>(count_of(views[k].whole_shape))});
  }
  BlockView result_view(spec.output, out.shape, sizes.size());
  TensorOf<Number> result{result_view.whole_shape,
                          std::vector<Number>(count_of(result_view.whole_shape))};
  for_each_coordinate(sizes, [&](const auto& labels) {
    for (size_t k = 0; k < operands.size(); ++k) {
      Int base = address(labels, views[k].label_strides);
      size_t i = 0;
      for_each_coordinate(views[k].whole_shape, [&](const auto& at) {
        blocks[k].values[i++] = operands[k]->values[base + address(at, views[k].whole_strides)];
      });
    }
    function(blocks, result);
    Int base = address(labels, result_view.label_strides);
    size_t i = 0;
    for_each_coordinate(result_view.whole_shape, [&](const auto& at) {
      out.values[base + address(at, result_view.whole_strides)] = result.values[i++];
    });
  });
}

}  // namespace assay::reference
