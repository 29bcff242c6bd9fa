// The form: PKWARE's APPNOTE.TXT 6.3, sections 4.3 and 4.5.3.
#include "shared_ir/zip/zip_writer.h"

#include <algorithm>

#include "shared_ir/base/error.h"
#include "shared_ir/zip/crc32.h"

namespace assay {
namespace {

// What a field holds whose value is in a field of ZIP64.
constexpr uint64_t kElsewhere16 = 0xffff, kElsewhere32 = 0xffffffff;
constexpr uint64_t kVersion = 20, kVersion64 = 45;  // what a reader must know: folders, ZIP64

// Little-endian fields, one after another.
class Record {
 public:
  Record& u16(uint64_t value) { return append(value, 2); }
  Record& u32(uint64_t value) { return append(value, 4); }
  Record& u64(uint64_t value) { return append(value, 8); }
  Record& text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& append(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }

  std::string bytes_;
};

// What stands in a field of 32 bits; where it does not fit, it goes to the extra field of ZIP64.
uint64_t field32(uint64_t value, Record& extra) {
  if (value < kElsewhere32) return value;
  extra.u64(value);
  return kElsewhere32;
}

std::string extra_field(const Record& values) {
  constexpr uint64_t kZip64 = 1;
  if (values.bytes().empty()) return {};
  return Record().u16(kZip64).u16(values.bytes().size()).text(values.bytes()).bytes();
}

// From the version to the size: what an entry's own header and the directory say alike.
std::string description(uint32_t crc, uint64_t size, bool large, Record& extra) {
  // The same bytes whenever they are written: midnight of the first day that there is, 1980-01-01.
  constexpr uint64_t kStored = 0, kFlags = 0, kTime = 0, kDate = 1 << 5 | 1;
  Record record;
  record.u16(large ? kVersion64 : kVersion).u16(kFlags).u16(kStored).u16(kTime).u16(kDate).u32(crc);
  record.u32(field32(size, extra)).u32(field32(size, extra));  // compressed or not
  return record.bytes();
}

}  // namespace

ZipWriter::ZipWriter(const std::filesystem::path& file)
    : file_(file.string()), stream_(file, std::ios::binary) {
  if (!stream_) throw UserError({file_}, "cannot write this file", "does its folder exist?");
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  ASSAY_CHECK(stream_.is_open(), "the archive is closed");
  const auto size = static_cast<std::streamsize>(bytes.size());
  if (!stream_.write(reinterpret_cast<const char*>(bytes.data()), size)) {
    stream_.close();
    throw UserError({file_}, "cannot write this file", "is the disk full?");
  }
  offset_ += bytes.size();
}

void ZipWriter::write(const std::string& bytes) { write(std::as_bytes(std::span(bytes))); }

void ZipWriter::add(const std::string& name, std::span<const std::byte> data) {
  Entry entry{name, crc32(data), data.size(), offset_};
  Record extra;
  const std::string about = description(entry.crc, entry.size, entry.size >= kElsewhere32, extra);
  const std::string field = extra_field(extra);
  Record header;
  header.text("PK\3\4").text(about).u16(name.size()).u16(field.size()).text(name).text(field);
  write(header.bytes());
  write(data);
  entries_.push_back(std::move(entry));
}

void ZipWriter::finish() {
  const uint64_t directory = offset_;
  for (const Entry& entry : entries_) {
    Record extra;
    const bool large = std::max(entry.size, entry.offset) >= kElsewhere32;
    const std::string about = description(entry.crc, entry.size, large, extra);
    const uint64_t offset = field32(entry.offset, extra);
    const std::string field = extra_field(extra);
    Record record;
    record.text("PK\1\2").u16(large ? kVersion64 : kVersion).text(about);
    record.u16(entry.name.size()).u16(field.size());
    record.u16(0).u16(0).u16(0).u32(0);  // comment, disk, attributes
    record.u32(offset).text(entry.name).text(field);
    write(record.bytes());
  }
  const uint64_t count = entries_.size(), size = offset_ - directory;
  if (count >= kElsewhere16 || std::max(directory, size) >= kElsewhere32) {
    constexpr uint64_t kRest = 44;  // bytes of the record after this field
    Record record;
    const uint64_t place = offset_;
    record.text("PK\6\6").u64(kRest).u16(kVersion64).u16(kVersion64).u32(0).u32(0);  // disks
    record.u64(count).u64(count).u64(size).u64(directory);
    record.text("PK\6\7").u32(0).u64(place).u32(1);  // of one disk
    write(record.bytes());
  }
  Record end;
  end.text("PK\5\6").u16(0).u16(0);  // disks
  end.u16(std::min(count, kElsewhere16)).u16(std::min(count, kElsewhere16));
  end.u32(std::min(size, kElsewhere32)).u32(std::min(directory, kElsewhere32)).u16(0);
  write(end.bytes());
  stream_.close();
  if (!stream_) throw UserError({file_}, "cannot write this file", "is the disk full?");
}

}  // namespace assay
