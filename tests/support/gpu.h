// Tests that need a GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace assay::test {

/// Whether ASSAY_REQUIRE_GPU=1 says that this machine has a GPU, which tests must then find.
inline bool gpu_is_required() {
  const char* required = std::getenv("ASSAY_REQUIRE_GPU");
  return required != nullptr && std::string_view(required) == "1";
}

}  // namespace assay::test

/// First line of a test that needs one GPU: `usable` says whether it can run. If not, skips the
/// test, and fails it where gpu_is_required().
#define ASSAY_NEED_GPU(usable)                                                          \
  if (!(usable)) {                                                                      \
    if (assay::test::gpu_is_required()) FAIL() << "no GPU, and ASSAY_REQUIRE_GPU is 1"; \
    GTEST_SKIP() << "no GPU";                                                           \
  }                                                                                     \
  static_assert(true)
