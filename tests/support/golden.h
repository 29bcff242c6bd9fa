#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace assay::test {

/// Compares text that a user sees with the file tests/golden/NAME. With ASSAY_REGENERATE=1 in the
/// environment the file is written instead.
inline void expect_golden(const std::string& name, const std::string& text) {
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "ASSAY_SOURCE_DIR is not set";
  const auto file = std::filesystem::path(root) / "tests" / "golden" / name;
  const char* regenerate = std::getenv("ASSAY_REGENERATE");
  if (regenerate && std::string(regenerate) == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  ASSERT_TRUE(stream) << "no golden file " << file << ": run with ASSAY_REGENERATE=1";
  const std::string expected((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_EQ(text, expected) << "differs from " << file
                            << "; if that is intended, run with ASSAY_REGENERATE=1";
}

}  // namespace assay::test
