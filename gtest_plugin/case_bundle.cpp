#include "gtest_plugin/case_bundle.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace assay {
namespace {

std::filesystem::path bundle_folder(const std::string& test) {
  const char* folder = std::getenv("ASSAY_BUNDLES");
  return (folder == nullptr ? std::filesystem::path(testing::TempDir()) / "assay"
                            : std::filesystem::path(folder)) /
         test;
}

}  // namespace

void write_bundle(const RefinementSpec& spec, FailureContext* context) {
  std::optional<Case> captured;
  try {
    captured = capture_case(spec);
  } catch (const UserError&) {
    return;
  }
  const std::string folder = bundle_folder(spec.name).string();
  try {
    save_case(*captured, folder);
    context->bundle = folder;
  } catch (const UserError& error) {
    context->no_bundle = error.what();
  }
}

}  // namespace assay
