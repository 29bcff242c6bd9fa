// A ZIP archive on disk, written entry by entry and stored, not compressed. ZIP64 where it is
// needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace assay {

// Keeps nothing of an entry but its place. One thread at a time. Without finish(), the file has no
// directory, and is no archive. Functions throw UserError when the file cannot be written; nothing
// can be added then.
class ZipWriter {
 public:
  // Replaces the file.
  explicit ZipWriter(const std::filesystem::path& file);

  // `name` is ASCII, and not that of another entry.
  void add(const std::string& name, std::span<const std::byte> data);

  void finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc;
    uint64_t size, offset;
  };

  void write(std::span<const std::byte> bytes);
  void write(const std::string& bytes);

  std::string file_;
  std::ofstream stream_;
  uint64_t offset_ = 0;  // bytes written
  std::vector<Entry> entries_;
};

}  // namespace assay
