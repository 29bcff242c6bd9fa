// Files in one text: each starts behind a line "=== NAME" with one of the names below.
#include <algorithm>
#include <array>

#include "static_check/check.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/scratch_folder.h"

namespace assay::fuzz {
namespace {

constexpr std::array<std::string_view, 7> kNames = {
    "case.toml",      "sequential.json",    "rank0.json",         "rank1.json",
    "operators.toml", "sequential.hlo.txt", "distributed.hlo.txt"};

void write_files(std::string_view bytes, const test::ScratchFolder& folder) {
  constexpr std::string_view kMark = "=== ";
  for (const std::string_view name : kNames) {
    std::filesystem::remove(folder.path() / name);
  }
  while (bytes.starts_with(kMark)) {
    const size_t line = std::min(bytes.find('\n'), bytes.size());
    const std::string name(bytes.substr(kMark.size(), line - kMark.size()));
    bytes.remove_prefix(std::min(line + 1, bytes.size()));
    const size_t next = std::min(bytes.find(kMark), bytes.size());
    if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) {
      folder.write(name, std::string(bytes.substr(0, next)));
    }
    bytes.remove_prefix(next);
  }
}

bool is_small(const Graph& graph) {
  constexpr int64_t kMaxElements = 1 << 16;
  return std::all_of(graph.tensors.begin(), graph.tensors.end(), [](const Tensor& tensor) {
    return element_count(tensor.shape) <= kMaxElements;
  });
}

}  // namespace

void refinement(std::string_view bytes) {
  static const test::ScratchFolder folder;
  write_files(bytes, folder);
  const Case loaded = load_case(folder.path());
  if (!is_small(loaded.sequential) ||
      !std::all_of(loaded.ranks.begin(), loaded.ranks.end(), is_small)) {
    return;
  }
  StaticOptions options;
  options.timeout = std::chrono::milliseconds(1000);
  const StaticResult result =
      static_check(loaded, OperatorTable::with_files(loaded.operator_files), options);
  if (!result.rejected.empty())
    throw InternalError("the checker rejects the certificate: " + result.rejected);
}

}  // namespace assay::fuzz
