// Both programs on drawn numbers.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/reference/reference.h"
#include "static_check/problem/problem.h"

namespace assay {

// The values of both programs for one draw of the inputs.
struct Trial {
  std::vector<ReferenceTensor> sequential;          // per core operator
  std::vector<std::vector<ReferenceTensor>> ranks;  // per rank, per core operator
};

class Trials {
 public:
  // `problem`: lifted; it must outlive the trials.
  explicit Trials(const Problem& problem)
      : problem_(problem), sequential_{problem.sequential_program} {}

  // Of all operators of all programs.
  int64_t elements() const;
  // There are more of them than a check of what was proved computes for one draw.
  bool are_too_large() const;

  // By double precision. Nothing where an index of the specification lies outside of its table for
  // this draw (InputNumbers), or the numbers of a function or of an input are not known. Throws
  // TimedOut.
  std::optional<Trial> run(size_t draw) const;

 private:
  const Problem& problem_;
  const std::vector<CoreProgram> sequential_;
};

}  // namespace assay
