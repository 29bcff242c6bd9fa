#include "tests/trace/trace_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "shared_ir/base/error.h"
#include "shared_ir/zip/zip_writer.h"
#include "tests/support/scratch_folder.h"

namespace assay::test {

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string archive_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  const ScratchFolder folder;
  ZipWriter zip(folder.path() / "archive");
  for (const auto& [name, data] : entries) zip.add(name, bytes_of(data));
  zip.finish();
  return text_of_file(folder.path() / "archive");
}

std::string small_trace() {
  const ScratchFolder folder;
  TraceWriter writer(folder.path() / "trace", {"step", 1, 2, DType::kBFloat16, 7, "a test"});
  writer.add({"x", "", "", DType::kFloat32, {2}}, bytes_of(kDataOfX));
  writer.add({"y", "aten.op.default", "m.py:3", DType::kInt64, {}}, bytes_of(kDataOfY));
  writer.finish();
  return text_of_file(folder.path() / "trace");
}

std::string error_of(const std::string& archive) {
  try {
    TraceReader reader(archive, "a.trace");
    for (size_t i = 0; i < reader.tensors().size(); ++i) reader.read(i);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace assay::test
