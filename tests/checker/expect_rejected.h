#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/claims/replay.h"

namespace assay::test {

/// The checker refuses the certificate, and its reason names `reason`.
inline void expect_rejected(const Replay& replay, const std::string& reason) {
  const CheckResult result = replay.check();
  EXPECT_FALSE(result.accepted);
  EXPECT_THAT(result.reason, testing::HasSubstr(reason));
}

}  // namespace assay::test
