// The checksum of ZIP archives: CRC-32 of the polynomial 0xedb88320, as zlib's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

uint32_t crc32(std::span<const std::byte> data);

}  // namespace assay
