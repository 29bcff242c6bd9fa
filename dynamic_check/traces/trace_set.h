// The traces of one comparison, which belong together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/traces/trace_comparison.h"

namespace assay {

class TraceSet {
 public:
  // Opens and checks all. Throws UserError as compare_traces does.
  explicit TraceSet(const TraceComparison& question);

  using Trace = std::unique_ptr<TensorTrace>;
  TensorTrace& base() const { return *base_; }
  TensorTrace* exact() const { return exact_.get(); }  // nullptr: there is none
  const std::vector<Trace>& samples() const { return samples_; }
  const std::vector<Trace>& further() const { return further_; }
  const std::vector<Trace>& ranks() const { return ranks_; }  // index = rank; one other run: 0

  // A tensor of base, exact, samples or further runs. Throws UserError when the trace has none like
  // the base's: of its shape, and of its dtype but in float64.
  at::Tensor read_like_base(TensorTrace& trace, const std::string& name) const;

 private:
  std::vector<Trace> open_perturbed(const std::vector<std::filesystem::path>& files,
                                    bool sequential) const;
  void check_ranks(const TraceComparison& question);
  void check_case(const Case& refinement) const;

  Trace base_;
  Trace exact_;
  std::vector<Trace> samples_;
  std::vector<Trace> further_;
  std::vector<Trace> ranks_;
};

}  // namespace assay
