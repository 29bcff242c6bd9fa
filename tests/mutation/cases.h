// The cases that mutants and rewrites are made of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"

namespace assay::test {

struct NamedCase {
  std::string name;
  Case executed;              // small enough to run
  std::optional<Case> whole;  // at full size, where `executed` was reduced
};

/// The captured graphs that run by PyTorch's kernels, and every right fixture. Without the folder
/// of captured graphs, the fixtures alone.
std::vector<NamedCase> runnable_cases();

/// The captured graphs that refine, at full size, and every right fixture.
std::vector<NamedCase> whole_cases();

/// How many of each kind and case: the environment variable `name`, or `otherwise`. The tests draw
/// a sample; a full run sets it higher.
size_t sample_size(const char* name, size_t otherwise);

}  // namespace assay::test
