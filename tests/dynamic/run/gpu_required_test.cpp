// A GPU test without a GPU is skipped; it fails where somebody said that there is one.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "tests/support/gpu.h"

namespace assay::test {
namespace {

void need(bool usable) { ASSAY_NEED_GPU(usable); }

class GpuRequired : public testing::Test {
 protected:
  GpuRequired() {
    if (const char* set = ::getenv("ASSAY_REQUIRE_GPU")) before_ = set;
  }
  ~GpuRequired() override { ::setenv("ASSAY_REQUIRE_GPU", before_.c_str(), 1); }

  // What a test that needs a GPU reports.
  void report(const char* required, bool usable) {
    ::setenv("ASSAY_REQUIRE_GPU", required, 1);
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results_);
    need(usable);
  }

  testing::TestPartResultArray results_;

 private:
  std::string before_;
};

TEST_F(GpuRequired, SkipsWhereNobodyRequiresOne) {
  report("0", false);
  ASSERT_EQ(results_.size(), 1);
  EXPECT_TRUE(results_.GetTestPartResult(0).skipped());
}

TEST_F(GpuRequired, FailsWhereOneIsRequired) {
  report("1", false);
  ASSERT_EQ(results_.size(), 1);
  EXPECT_TRUE(results_.GetTestPartResult(0).fatally_failed());
}

TEST_F(GpuRequired, LetsATestRunThatFindsOne) {
  report("1", true);
  EXPECT_EQ(results_.size(), 0);
}

}  // namespace
}  // namespace assay::test
