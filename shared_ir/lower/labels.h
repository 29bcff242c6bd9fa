// Labelled dimensions, in the notation "... i k, k j -> ... i j": what einsum and block read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/graph.h"

namespace assay::lowering {

struct LabelledDim {
  std::string label;   // "..." stands for any number of leading dimensions
  bool whole = false;  // written "d*"
};

struct LabelSpec {
  std::vector<std::vector<LabelledDim>> operands;
  std::vector<LabelledDim> output;
};

// False if the text is malformed: no "->", an ellipsis that is not first, a label twice in one
// operand, or an output label that no operand has.
bool parse_label_spec(std::string_view text, LabelSpec& spec);

// The labels of operands of known shapes, as small numbers.
struct BoundLabels {
  struct Dim {
    int32_t label;
    bool whole;
  };
  std::vector<std::vector<Dim>> operands;
  std::vector<Dim> output;
  std::vector<int64_t> sizes;  // per label
  std::string error;           // not empty: why the shapes do not fit
};

// Numbers the labels: whole ones first, each in order of appearance, so that equal declarations
// give equal numbers whatever the number of dimensions that "..." stands for.
BoundLabels bind_labels(const LabelSpec& spec, const std::vector<Shape>& shapes);

}  // namespace assay::lowering
