#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace assay::test {

/// Folder of the captured graphs (environment variable ASSAY_GRAPHS, which ctest sets).
inline std::filesystem::path captured_graphs() {
  const char* folder = std::getenv("ASSAY_GRAPHS");
  return folder ? folder : "";
}

/// Whether this is a CI run, where absent graphs are an error.
inline bool in_ci() {
  const char* ci = std::getenv("CI");
  return ci && std::string(ci) == "true";
}

}  // namespace assay::test

/// First line of a test that reads captured graphs: skips the test where the folder is absent,
/// fails it in CI.
#define ASSAY_NEED_CAPTURED_GRAPHS()                                                 \
  if (!std::filesystem::is_directory(assay::test::captured_graphs())) {              \
    if (assay::test::in_ci()) {                                                      \
      FAIL() << "no captured graphs in '" << assay::test::captured_graphs().string() \
             << "': set ASSAY_GRAPHS";                                               \
    }                                                                                \
    GTEST_SKIP() << "no captured graphs (ASSAY_GRAPHS)";                             \
  }                                                                                  \
  static_assert(true)
