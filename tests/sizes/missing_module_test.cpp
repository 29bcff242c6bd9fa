// Without the module that makes proofs over symbols there is no verdict for all sizes, and the
// message says what is missing.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "static_check/symbolic/all_sizes.h"
#include "tests/sizes/sized_case.h"

namespace assay::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::ThrowsMessage;

TEST(MissingModule, IsNamed) {
  SizedGraph rows;
  rows.input("x", "s0, 8").call("y", "aten.relu.default", "%x", "s0, 8").outputs({"y"});
  const SizedCase folder(rows, rows, rows, "x = [\"x@0\", \"x@1\"]", "s0 = [\"s0 >= 2\"]");
  const std::filesystem::path modules = folder.path() / "modules";
  const std::filesystem::path build =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::filesystem::create_directory(modules);
  std::filesystem::create_symlink(build / "modules/libassay_smt.so", modules / "libassay_smt.so");
  ASSERT_EQ(setenv("ASSAY_MODULES", modules.c_str(), 1), 0);
  EXPECT_THAT([&] { check_all_sizes(folder.path(), {}); },
              ThrowsMessage<UserError>(
                  AllOf(HasSubstr("its proof cannot be made over the symbols"),
                        HasSubstr("libassay_symbolic.so is in no folder of modules"))));
  unsetenv("ASSAY_MODULES");
}

}  // namespace
}  // namespace assay::test
