// A test that is passed by all numbers of a set and by few others, before the set itself is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::identity {

class Sieve {
 public:
  // Residues: their last bits are as good as random.
  void add(uint64_t number) { bits_[number % kBits] = true; }
  bool may_hold(uint64_t number) const { return bits_[number % kBits]; }

 private:
  static constexpr size_t kBits = size_t{1} << 20;
  std::vector<bool> bits_ = std::vector<bool>(kBits);
};

}  // namespace assay::identity
