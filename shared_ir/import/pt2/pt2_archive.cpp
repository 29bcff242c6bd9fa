#include "shared_ir/import/pt2/pt2_archive.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "shared_ir/base/error.h"

namespace assay::pt2 {
namespace {

constexpr std::string_view kPrograms = "models/";

// Of ROOT/models/NAME.json, with any root, the root; not in folders below models.
std::optional<std::string> root_of_program(std::string_view entry) {
  if (!entry.ends_with(".json")) return std::nullopt;
  const std::string_view folder = entry.substr(0, entry.rfind('/') + 1);
  if (!folder.ends_with(kPrograms)) return std::nullopt;
  const std::string_view root = folder.substr(0, folder.size() - kPrograms.size());
  if (!root.empty() && root.back() != '/') return std::nullopt;
  return std::string(root);
}

}  // namespace

Archive::Archive(std::istream& stream, const std::string& file)
    : file_(file), zip_(ZipReader::open(stream)) {
  if (!zip_) fail("this is no zip archive");
  auto entries = zip_->entries();
  if (!entries) fail("the archive is damaged");
  entries_ = std::move(*entries);
  for (const ZipEntry& entry : entries_) {
    const auto root = root_of_program(entry.name);
    if (!root) continue;
    if (program_) fail("the archive holds several programs");
    program_ = &entry;
    root_ = *root;
  }
  if (!program_) fail("the archive holds no program (models/NAME.json)");
}

std::string Archive::program() { return read(*program_); }

std::optional<std::string> Archive::data(const std::string& path) {
  const auto found = std::ranges::find(entries_, root_ + "data/" + path, &ZipEntry::name);
  if (found == entries_.end()) return std::nullopt;
  return read(*found);
}

void Archive::fail(const std::string& message) const {
  throw UserError({file_}, message, "a .pt2 archive is what torch.export.save writes");
}

std::string Archive::read(const ZipEntry& entry) {
  const std::string what = &entry == program_ ? "the program" : "'" + entry.name + "'";
  if (!entry.stored) fail(what + " in the archive is compressed or encrypted");
  if (entry.size > zip_->size()) fail("the archive is cut off");
  std::string text(entry.size, '\0');
  if (!zip_->read(entry, std::as_writable_bytes(std::span(text)))) fail("the archive is damaged");
  return text;
}

}  // namespace assay::pt2
