#include "shared_ir/import/pt2/pt2_archive.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "shared_ir/base/error.h"
#include "shared_ir/zip/zip_reader.h"

namespace assay::pt2 {
namespace {

// ROOT/models/NAME.json, with any root; not in folders below models.
bool is_program(std::string_view entry) {
  constexpr std::string_view kFolder = "models";
  if (!entry.ends_with(".json")) return false;
  const std::string_view folder = entry.substr(0, std::min(entry.rfind('/'), entry.size()));
  return folder == kFolder || folder.ends_with("/" + std::string(kFolder));
}

}  // namespace

std::string read_program(std::istream& archive, const std::string& file) {
  const auto fail = [&](const std::string& message) {
    throw UserError({file}, message, "a .pt2 archive is what torch.export.save writes");
  };
  auto zip = ZipReader::open(archive);
  if (!zip) fail("this is no zip archive");
  const auto entries = zip->entries();
  if (!entries) fail("the archive is damaged");
  const auto found = std::ranges::find_if(*entries, is_program, &ZipEntry::name);
  if (found == entries->end()) fail("the archive holds no program (models/NAME.json)");
  if (std::ranges::count_if(*entries, is_program, &ZipEntry::name) > 1) {
    fail("the archive holds several programs");
  }
  if (!found->stored) fail("the program in the archive is compressed or encrypted");
  if (found->size > zip->size()) fail("the archive is cut off");
  std::string text(found->size, '\0');
  if (!zip->read(*found, std::as_writable_bytes(std::span(text)))) fail("the archive is damaged");
  return text;
}

}  // namespace assay::pt2
