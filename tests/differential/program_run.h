// Programs by PyTorch with its own memory, and by what they lower to.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <vector>

#include "tests/declarations/kernel_comparison.h"
#include "tests/differential/program.h"

namespace assay::test {

// PyTorch warns of what random programs are full of.
class WithoutWarnings : c10::WarningHandler {
 private:
  void process(const c10::Warning&) override {}
  c10::WarningUtils::WarningHandlerGuard guard_{this};
};

// An input that lies in memory as the graph says.
at::Tensor placed(const Tensor& what, const ReferenceTensor& value);

// What the node returns in float64; `live[id]` is the tensor object that the program holds. Throws
// what PyTorch throws.
std::vector<at::Tensor> run_next(const Graph& graph, const Node& node,
                                 const std::vector<at::Tensor>& live);

struct Noise {
  enum class Zeros : uint8_t {
    kChanged,  // like all else
    kKept,
    kMade,  // of what is as small as rounding leaves it; nothing else is changed
  };
  double size = 0;
  Zeros zeros = Zeros::kChanged;
};

// All tensor objects of the program as they are at its end. Floating inputs, and what operators
// make, are changed by `noise`, up and down by turns, so that no two changes cancel. Throws what
// PyTorch throws, and std::runtime_error when results have other shapes than were recorded.
std::vector<at::Tensor> run_whole(const DrawnProgram& program, Noise noise);

// Runs the program in float64, with PyTorch's own memory, and holds its outputs, as they are at the
// end, against the evaluation of the core program that it lowers to, to the tolerance of
// difference() (elements.h). An operator without a declaration is a refusal; where tiny noise
// changes an output that differs, the program is rejected.
Comparison compare_with_pytorch(const DrawnProgram& program, const OperatorTable& operators,
                                double tolerance);

}  // namespace assay::test
