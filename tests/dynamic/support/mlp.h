// A two-layer perceptron, sequential and tensor-parallel over two ranks, with its relations written
// by hand.
#pragma once

#include <string>
#include <vector>

#include "dynamic_check/check.h"
#include "shared_ir/case/case.h"

namespace assay::test {

struct MlpConfig {
  int64_t tokens = 8;
  int64_t hidden = 64;
  int64_t inner = 96;
  bool reduces = true;     // the all-reduce after the second product
  bool self_made = false;  // the ranks make the weight `scale` themselves
  bool broadcasts = true;  // ... and agree on it
  double offset = 0;       // added to the first product and subtracted again: loses digits
  bool waits = true;       // for an asynchronous all-reduce
};

struct Mlp {
  Case refinement;
  std::vector<Relation> relations;
  Programs programs;
};

// y = all_reduce(gelu(x up^T) down^T) * scale, up and down split over the inner dimension.
Mlp make_mlp(const MlpConfig& config = {});

// One relation from its text.
Relation relation(const std::string& tensor, const std::vector<std::string>& replicas);

}  // namespace assay::test
