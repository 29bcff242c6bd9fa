// The form: PKWARE's APPNOTE.TXT 6.3, sections 4.3 and 4.5.3.
#include "shared_ir/zip/zip_reader.h"

#include <algorithm>
#include <string_view>

#include "shared_ir/base/error.h"
#include "shared_ir/zip/crc32.h"

namespace assay {
namespace {

// A little-endian field of a record that is long enough.
uint64_t field(std::string_view record, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(record[at + i]);
  return value;
}

// A field of 32 bits; where it holds no value, the next of the extra field of ZIP64 does. nullopt
// when that ends.
std::optional<uint64_t> wide_field(std::string_view record, size_t at, std::string_view& extra) {
  const uint64_t value = field(record, at, 4);
  if (value != 0xffffffff) return value;
  if (extra.size() < 8) return std::nullopt;
  const uint64_t wide = field(extra, 0, 8);
  extra.remove_prefix(8);
  return wide;
}

// The values of ZIP64 among an entry's extra fields; none where there are none.
std::string_view large_values(std::string_view extra) {
  constexpr uint64_t kZip64 = 1;
  while (extra.size() >= 4) {
    const uint64_t id = field(extra, 0, 2), size = field(extra, 2, 2);
    extra.remove_prefix(4);
    if (id == kZip64) return extra.substr(0, size);
    extra.remove_prefix(std::min<uint64_t>(size, extra.size()));
  }
  return {};
}

constexpr uint64_t kEndSize = 22, kEntrySize = 46, kHeaderSize = 30;

}  // namespace

std::string ZipReader::bytes(uint64_t offset, uint64_t size) {
  if (offset > size_) return {};
  std::string result(std::min(size, size_ - offset), '\0');
  stream_->clear();
  stream_->seekg(static_cast<std::streamoff>(offset));
  stream_->read(result.data(), static_cast<std::streamsize>(result.size()));
  result.resize(static_cast<size_t>(stream_->gcount()));
  return result;
}

std::optional<ZipReader> ZipReader::open(std::istream& archive) {
  archive.seekg(0, std::ios::end);
  ZipReader reader(archive, static_cast<uint64_t>(archive.tellg()));
  if (!reader.find_directory()) return std::nullopt;
  return reader;
}

// The last record is at the end, but for a comment of a length that it says.
bool ZipReader::find_directory() {
  constexpr uint64_t kMaxComment = 0xffff;
  const uint64_t begin = size_ - std::min(size_, kEndSize + kMaxComment);
  const std::string tail = bytes(begin, size_ - begin);
  for (size_t at = tail.rfind("PK\5\6"); at != std::string::npos;
       at = at == 0 ? std::string::npos : tail.rfind("PK\5\6", at - 1)) {
    const std::string_view end = std::string_view(tail).substr(at);
    if (end.size() < kEndSize || field(end, 20, 2) != end.size() - kEndSize) continue;
    // Where its fields hold all, torch writes that of ZIP64 all the same.
    if (find_large_directory(begin + at)) return true;
    count_ = field(end, 10, 2);
    directory_size_ = field(end, 12, 4);
    directory_offset_ = field(end, 16, 4);
    return field(end, 4, 4) == 0 && directory_offset_ + directory_size_ == begin + at;
  }
  return false;
}

bool ZipReader::find_large_directory(uint64_t end) {
  constexpr uint64_t kLocatorSize = 20, kRecordSize = 56;
  if (end < kLocatorSize) return false;
  const std::string locator = bytes(end - kLocatorSize, kLocatorSize);
  if (!locator.starts_with("PK\6\7")) return false;
  const uint64_t offset = field(locator, 8, 8);
  const std::string record = bytes(offset, kRecordSize);
  if (record.size() < kRecordSize || !record.starts_with("PK\6\6")) return false;
  const uint64_t count = field(record, 32, 8), size = field(record, 40, 8),
                 directory = field(record, 48, 8);
  if (field(record, 16, 8) != 0 || size > offset || directory != offset - size) return false;
  count_ = count;
  directory_size_ = size;
  directory_offset_ = directory;
  return true;
}

std::optional<std::vector<ZipEntry>> ZipReader::entries() {
  constexpr uint64_t kEncrypted = 1;
  const std::string directory = bytes(directory_offset_, directory_size_);
  std::string_view rest = directory;
  std::vector<ZipEntry> entries;
  for (uint64_t i = 0; i < count_; ++i) {
    if (rest.size() < kEntrySize || !rest.starts_with("PK\1\2")) return std::nullopt;
    const std::string_view record = rest.substr(0, kEntrySize);
    const uint64_t name = field(record, 28, 2), extra = field(record, 30, 2);
    const uint64_t size_of_all = kEntrySize + name + extra + field(record, 32, 2);
    if (rest.size() < size_of_all) return std::nullopt;
    std::string_view large = large_values(rest.substr(kEntrySize + name, extra));
    const auto size = wide_field(record, 24, large);
    const auto stored_size = wide_field(record, 20, large);
    const auto offset = wide_field(record, 42, large);
    if (!size || !stored_size || !offset) return std::nullopt;
    const bool stored =
        field(record, 10, 2) == 0 && (field(record, 8, 2) & kEncrypted) == 0 && size == stored_size;
    entries.push_back({std::string(rest.substr(kEntrySize, name)), *size, stored,
                       static_cast<uint32_t>(field(record, 16, 4)), *offset});
    rest.remove_prefix(size_of_all);
  }
  if (!rest.empty()) return std::nullopt;
  return entries;
}

bool ZipReader::read(const ZipEntry& entry, std::span<std::byte> into) {
  ASSAY_CHECK(entry.stored && into.size() == entry.size, "an entry is not read as it is");
  // What its header says again of sizes and checksum may be missing there.
  const std::string header = bytes(entry.offset, kHeaderSize + entry.name.size());
  if (header.size() < kHeaderSize + entry.name.size() || !header.starts_with("PK\3\4") ||
      field(header, 26, 2) != entry.name.size() || !header.ends_with(entry.name)) {
    return false;
  }
  const uint64_t begin = entry.offset + header.size() + field(header, 28, 2);
  stream_->clear();
  stream_->seekg(static_cast<std::streamoff>(begin));
  stream_->read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
  return static_cast<size_t>(stream_->gcount()) == into.size() && crc32(into) == entry.crc;
}

}  // namespace assay
