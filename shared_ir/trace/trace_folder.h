// A folder that keeps the traces of one check beside its case (case.toml and graphs): base.trace,
// the sequential run; exact.trace, the same in float64; sample1.trace, ..., perturbed runs of it;
// rank0.trace, ..., the distributed run; and, of a float8 run in which something deviated,
// further1.trace, ..., the perturbed runs that were made then: as many as the samples, some times
// over.
#pragma once

#include <filesystem>
#include <vector>

#include "shared_ir/mesh.h"

namespace assay {

struct TraceFolder {
  std::filesystem::path path;

  std::filesystem::path base() const { return path / "base.trace"; }
  std::filesystem::path exact() const { return path / "exact.trace"; }
  std::filesystem::path sample(int number) const;   // from 1
  std::filesystem::path further(int number) const;  // from 1
  std::filesystem::path rank(Rank rank) const;

  // Those that there are, up to the first that is missing.
  std::vector<std::filesystem::path> samples() const;
  std::vector<std::filesystem::path> further() const;
  std::vector<std::filesystem::path> ranks() const;

  // Makes the folder, and removes the traces of an earlier run. Throws UserError when it cannot.
  void prepare() const;
};

}  // namespace assay
