// ZIP archives whose entries are stored, not compressed: so no entry is larger than its archive,
// and whoever holds one entry at a time is bounded by the size of the file. (Not by minizip: in
// version 1.1 it reads no ZIP64 sizes where longs have 64 bits, and archives that lack their last
// bytes.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay {

struct ZipEntry {
  std::string name;
  uint64_t size = 0;    // bytes, as the archive's directory says
  bool stored = false;  // neither compressed nor encrypted
  uint32_t crc = 0;
  uint64_t offset = 0;  // of its header in the archive
};

// Errors are the caller's to name: it knows what the archive should have been. Archives of several
// disks, and such with something before or behind them, are none. One thread at a time.
class ZipReader {
 public:
  // nullopt for what does not end with the directory of a ZIP archive. The stream must outlive
  // this.
  static std::optional<ZipReader> open(std::istream& archive);

  // In the order of the directory; nullopt when it is damaged.
  std::optional<std::vector<ZipEntry>> entries();

  // Bytes of the archive. An entry with more is cut off: check that before memory is made for it.
  uint64_t size() const { return size_; }

  // Reads a stored entry and compares its checksum: false when it is damaged. `into` has its size.
  bool read(const ZipEntry& entry, std::span<std::byte> into);

 private:
  ZipReader(std::istream& stream, uint64_t size) : stream_(&stream), size_(size) {}

  // The bytes at a place; fewer where the archive ends.
  std::string bytes(uint64_t offset, uint64_t size);
  bool find_directory();
  // Where the record of ZIP64 has the directory; `end` is the offset of the archive's last record.
  bool find_large_directory(uint64_t end);

  std::istream* stream_;
  uint64_t size_;
  uint64_t count_ = 0;                                  // entries
  uint64_t directory_size_ = 0, directory_offset_ = 0;  // bytes
};

}  // namespace assay
