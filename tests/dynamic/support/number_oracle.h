// What reductions of numbers are, from the definition of each type and none of the code under test:
// one number at a time, exactly, and rounded to the nearest that the type has.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dynamic_check/buffers/reduce_buffers.h"

namespace assay::test {

inline constexpr Reduction kReductions[] = {Reduction::kSum, Reduction::kAverage,
                                            Reduction::kProduct, Reduction::kMin, Reduction::kMax};

inline constexpr DType kTypes[] = {
    DType::kBool,    DType::kUint8,    DType::kUint16,  DType::kUint32,     DType::kInt8,
    DType::kInt16,   DType::kInt32,    DType::kInt64,   DType::kFloat8E4M3, DType::kFloat8E5M2,
    DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64};

// The number of these bits; for floating types.
double value_of(DType dtype, uint64_t bits);

// The bits of the members' reduction, step by step in their order; nullopt where that is no number.
std::optional<uint64_t> reduced_bits(Reduction reduction, DType dtype,
                                     const std::vector<uint64_t>& members);

// The bits of each element of a buffer without gaps, and back.
std::vector<uint64_t> bits_of(const StridedBuffer& buffer);
StridedBuffer buffer_of_bits(DType dtype, const Shape& shape, const std::vector<uint64_t>& bits);

// The type's numbers at random, some small and some large, some infinite, some none.
StridedBuffer random_buffer(DType dtype, const Shape& shape, uint64_t seed);

// Reduces buffers without gaps, one element after the other.
std::vector<std::optional<uint64_t>> reduced(Reduction reduction,
                                             const std::vector<StridedBuffer>& members);

// Whether the buffer has these bits, and no number where nothing is said.
bool has_bits(const StridedBuffer& buffer, const std::vector<std::optional<uint64_t>>& expected);

}  // namespace assay::test
