#include "shared_ir/case/case.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/small_case.h"

namespace assay::fuzz {
namespace {

const test::ScratchFolder& folder_with_graphs() {
  static const test::ScratchFolder folder;
  static const bool written = (test::write_files(folder, test::small_case_files()), true);
  ASSAY_CHECK(written, "");
  return folder;
}

std::string saved_toml(const Case& refinement, const test::ScratchFolder& folder) {
  save_case(refinement, folder.path());
  std::ifstream stream(folder.path() / "case.toml", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

void case_file(std::string_view bytes) {
  const test::ScratchFolder& folder = folder_with_graphs();
  folder.write("case.toml", std::string(bytes));
  const Case loaded = load_case(folder.path());
  static const test::ScratchFolder copy;
  const std::string text = saved_toml(loaded, copy);
  const Case again = load_case(copy.path());
  ASSAY_CHECK(saved_toml(again, copy) == text,
              "a case is another one when it is saved and loaded again");
}

}  // namespace assay::fuzz
