// What other orders of a program's sums round: the allowance that a distributed program's way to
// compute them justifies.
//
// Terms t_1 ... t_n may be summed in any order and in parts, as ranks do. Every partial sum is at
// most S = |t_1| + ... + |t_n|, and its rounding moves the result by at most u S. For p parts that
// are rounded one by one, these errors being independent, the result moves by a root mean square of
// at most u S sqrt(p). (Higham, Accuracy and Stability of Numerical Algorithms, 4.2, has u S as the
// bound of each; here S is what the sequential program sums, so what the ranks alone bring in that
// cancels afterwards is not in it.)
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/run/interpret/interpreter.h"
#include "dynamic_check/run/perturbed_run.h"

namespace assay {

// The node adds terms: its result for operands' magnitudes is the sum of the terms' magnitudes.
bool makes_sums(const Node& node);

// Per output of a node that makes sums a sample of that noise, in float64: uniform in u S sqrt(p),
// with u sqrt(p) = noise.sums. Throws as run_operator().
std::vector<at::Tensor> reassociation_noise(const Graph& graph, NodeId id,
                                            const TensorLookup& operands, const Noise& noise,
                                            const DeclaredOperators* declared);

// As interpret_with_noise() of one graph, and with this noise on every result that is made by sums,
// and on the inputs of these names, which others have in summands. Of values nothing is kept.
void interpret_reassociated(const Graph& graph, const Groups& groups,
                            std::map<RankTensorName, at::Tensor> inputs,
                            const std::set<std::string>& summed, const Noise& noise,
                            const DeclaredOperators* declared, const Seen& seen);

}  // namespace assay
