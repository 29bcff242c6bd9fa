// Integers of few bits count up to where they wrap, 16-bit numbers up to where they round: at some
// sizes they do, and no proof for all of them may pass that over (tests/sizes/narrow).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "static_check/symbolic/all_sizes.h"

namespace assay {
namespace {

StaticReport report_of(const char* name) {
  const char* source = std::getenv("ASSAY_SOURCE_DIR");
  if (source == nullptr) throw std::runtime_error("ASSAY_SOURCE_DIR is not set");
  const auto folder = std::filesystem::path(source) / "tests/sizes/narrow" / name;
  return check_all_sizes(folder, {}).result.report;
}

TEST(NarrowIntegers, WrapAtSomeSizes) {
  for (const char* name :
       {"count_in_uint8", "ones_in_uint8", "numbering_in_uint8", "sum_in_int32"}) {
    SCOPED_TRACE(name);
    EXPECT_NE(report_of(name).verdict, Verdict::kProved);
  }
}

TEST(NarrowIntegers, WhatIsTakenAsExactAtAllSizesIsListed) {
  const StaticReport report = report_of("count_in_bfloat16");
  EXPECT_EQ(report.verdict, Verdict::kProved);
  EXPECT_THAT(report.assumptions,
              testing::Contains("casts from int64 to bfloat16 are taken as exact"));
}

}  // namespace
}  // namespace assay
