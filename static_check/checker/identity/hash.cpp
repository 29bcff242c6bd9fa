// Aumasson and Bernstein, "SipHash: a fast short-input PRF", with 128 bits of result.
#include "static_check/checker/identity/hash.h"

#include <bit>

namespace assay::checker::identity {
namespace {

class Sip {
 public:
  Sip(uint64_t k0, uint64_t k1)
      : v_{k0 ^ 0x736f6d6570736575U, k1 ^ 0x646f72616e646f83U, k0 ^ 0x6c7967656e657261U,
           k1 ^ 0x7465646279746573U} {}

  void take(uint64_t word) {
    v_[3] ^= word;
    mix(2);
    v_[0] ^= word;
  }

  Wide result() {
    v_[2] ^= 0xeeU;
    mix(4);
    const uint64_t low = v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
    v_[1] ^= 0xddU;
    mix(4);
    return (Wide{v_[0] ^ v_[1] ^ v_[2] ^ v_[3]} << 64U) | low;
  }

 private:
  void mix(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      v_[0] += v_[1], v_[1] = std::rotl(v_[1], 13) ^ v_[0], v_[0] = std::rotl(v_[0], 32);
      v_[2] += v_[3], v_[3] = std::rotl(v_[3], 16) ^ v_[2];
      v_[0] += v_[3], v_[3] = std::rotl(v_[3], 21) ^ v_[0];
      v_[2] += v_[1], v_[1] = std::rotl(v_[1], 17) ^ v_[2], v_[2] = std::rotl(v_[2], 32);
    }
  }

  uint64_t v_[4];
};

Wide hash(uint64_t k0, uint64_t k1, std::string_view name, std::span<const uint64_t> keys) {
  Sip sip(k0, k1);
  // The lengths first, so that no two arguments are one sequence of words.
  sip.take(name.size());
  sip.take(keys.size());
  uint64_t word = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    word = word << 8U | static_cast<unsigned char>(name[i]);
    if (i % 8 == 7 || i + 1 == name.size()) {
      sip.take(word);
      word = 0;
    }
  }
  for (const uint64_t key : keys) sip.take(key);
  return sip.result();
}

}  // namespace

Residues RandomFunction::operator()(std::string_view name, std::span<const uint64_t> keys) const {
  return {static_cast<uint64_t>(hash(seed_, 0x8c2f7a1d5e93b406U, name, keys) % kP),
          static_cast<uint64_t>(hash(seed_, 0x17d4e0b96a3f82c5U, name, keys) % kQ)};
}

}  // namespace assay::checker::identity
