// Clean expressions: how a tensor is made of others by rearrangement and sum over ranks only
// (ENTANGLE, section 4).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/symbolic/integer.h"
#include "shared_ir/symbolic/size_expression.h"

namespace assay {

struct CleanExpr {
  enum class Kind : uint8_t { kTensor, kConcat, kSlice, kSum, kPermute, kReshape, kPad, kScale };

  Kind kind = Kind::kTensor;
  std::string name;       // kTensor
  Rank rank = 0;          // kTensor
  Int dim = 0;            // kConcat, kSlice, kPad
  Int start = 0;          // kSlice: first index; kPad: zeros before
  Int end = 0;            // kSlice: one past the last index; kPad: zeros after
  std::vector<Int> dims;  // kPermute: dims; kReshape: shape
  Int numerator = 1;      // kScale: by = numerator / denominator, lowest terms, denominator > 0
  Int denominator = 1;
  std::vector<CleanExpr> operands;  // kTensor: none; kConcat, kSum: at least one; else exactly one

  bool operator==(const CleanExpr&) const = default;
};

// How leaves are written: NAME@RANK, or NAME alone for expressions over the sequential program
// (rank 0).
enum class Leaves : uint8_t { kDistributed, kSequential };

// Canonical text, e.g. "concat(a@0, slice(a@1; dim=0, start=0, end=4); dim=0)". parse(print(e)) ==
// e.
std::string to_string(const CleanExpr& expr, Leaves leaves = Leaves::kDistributed);

// `place` is where the text starts (for error positions). Throws UserError with line and column.
// With kSequential a leaf may be NAME or NAME@0.
// Where the case has symbols, a number may be a size over them ("end=s0//2").
CleanExpr parse_clean_expr(std::string_view text, const SourcePlace& place,
                           Leaves leaves = Leaves::kDistributed, const SymbolValues& symbols = {});

// Calls visit(leaf) for every kTensor in the expression, left to right.
void for_each_leaf(const CleanExpr& expr, const std::function<void(const CleanExpr&)>& visit);

// Whether a part of the expression, or all of it, is of this kind.
bool has_kind(const CleanExpr& expr, CleanExpr::Kind kind);

// Shape of the value. `shape_of(name, rank)` returns the shape of a leaf or throws UserError.
// Throws UserError at `place` when shapes do not fit (dim out of range, concat mismatch, slice
// bounds, reshape count).
Shape infer_shape(const CleanExpr& expr,
                  const std::function<Shape(const std::string&, Rank)>& shape_of,
                  const SourcePlace& place);

}  // namespace assay
