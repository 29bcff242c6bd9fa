// Programs with sizes that depend on values against PyTorch: record.py captured and ran those of
// values.jsonl.
#include <gtest/gtest.h>

#include "tests/shared_ir/recorded_values.h"

namespace assay {
namespace {

TEST(UnbackedValues, PaddedProgramsMeanWhatPyTorchMakesOfThem) {
  EXPECT_GE(test::expect_recorded_values("tests/shared_ir/unbacked/values.jsonl"), 16);
}

}  // namespace
}  // namespace assay
