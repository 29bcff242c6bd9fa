#include "shared_ir/zip/crc32.h"

#include <array>

namespace assay {
namespace {

constexpr size_t kSlices = 8;
using CrcTables = std::array<std::array<uint32_t, 256>, kSlices>;

// tables[k][b]: what byte b, with k bytes behind it, contributes. Eight bytes are then looked up
// independently of one another, several times as fast as one after another.
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < kSlices; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

}  // namespace

uint32_t crc32(std::span<const std::byte> data) {
  uint32_t crc = ~uint32_t{0};
  for (; data.size() >= kSlices; data = data.subspan(kSlices)) {
    uint32_t next = 0;
    for (size_t i = 0; i < kSlices; ++i) {
      const uint32_t mixed = i < 4 ? (crc >> (8 * i)) & 0xff : 0;
      next ^= kCrcTables[kSlices - 1 - i][mixed ^ static_cast<uint32_t>(data[i])];
    }
    crc = next;
  }
  for (const std::byte byte : data) {
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ static_cast<uint32_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace assay
