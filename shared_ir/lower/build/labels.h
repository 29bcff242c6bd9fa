// Labelled dimensions, in the notation "... i k, k j -> ... i j": what einsum and block read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/symbolic/integer.h"

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
  std::vector<Int> sizes;  // per label
  std::string error;       // not empty: why the shapes do not fit
};

// Binds labels to the shapes of operands. What does not depend on sizes is kept: nodes repeat it.
class LabelBinder {
 public:
  // Numbers the labels of `text`: whole ones first, each in order of appearance, so that equal
  // declarations give equal numbers whatever the number of dimensions that "..." stands for.
  // nullptr: the text is malformed (parse_label_spec). Valid until the next call.
  const BoundLabels* bind(const std::string& text, const std::vector<Shape>& shapes);

 private:
  using Key = std::pair<std::string, std::vector<size_t>>;  // the text, numbers of dimensions
  std::map<Key, BoundLabels> numbered_;
  BoundLabels misfit_;  // sizes that do not fit are not kept
};

}  // namespace assay::lowering
