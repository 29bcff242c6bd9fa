// The names that a refinement test uses, made members of its base class: its body needs no
// using-directive, and the tests' own namespace stays clean.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/placement.h"
#include "assay/program.h"
#include "dynamic_check/question/question.h"
#include "shared_ir/dtype.h"

namespace assay {

struct TestWords {
  using DType = assay::DType;
  using Input = assay::Input;
  using InputRole = assay::InputRole;
  using Program = assay::Program;

  static Placement Replicate() { return assay::Replicate(); }
  static Placement Shard(std::string axis, int64_t dim) {
    return assay::Shard(std::move(axis), dim);
  }
  static Placement ShardBlocks(std::string axis, int64_t dim, std::vector<int64_t> sizes) {
    return assay::ShardBlocks(std::move(axis), dim, std::move(sizes));
  }
  static Placement Partial(std::string axis) { return assay::Partial(std::move(axis)); }
  static Placement On(std::string axis, int64_t coordinate) {
    return assay::On(std::move(axis), coordinate);
  }
};

}  // namespace assay
