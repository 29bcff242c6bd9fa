#include "static_check/checker/identity/scales.h"

#include <array>
#include <numeric>

namespace assay::checker::identity {

void Scales::learn(const Rational& constant) {
  constexpr size_t kMost = 512;
  if (learned_.size() >= kMost) return;
  const uint64_t r = residues_of(constant).r, inverse = signed_power<kP>(r, -1);
  learned_.emplace_back(r, constant);
  learned_.emplace_back(inverse, Rational(1) / constant);
  try {
    const Rational square = constant * constant;
    learned_.emplace_back(times<kP>(r, r), square);
    learned_.emplace_back(times<kP>(inverse, inverse), Rational(1) / square);
  } catch (const RationalOverflow&) {
  }
}

std::optional<Scales::Multiple> Scales::find(const std::unordered_map<uint64_t, Number>& numbers,
                                             uint64_t r) {
  if (numbers.empty()) return std::nullopt;
  if (const auto itself = numbers.find(r); itself != numbers.end())
    return Multiple{&itself->second, Rational(1)};
  constexpr PlainInt kLargestTerm = 24;  // of a fraction
  if (fractions_.empty()) {
    std::array<uint64_t, kLargestTerm + 1> inverses{};
    for (PlainInt q = 1; q <= kLargestTerm; ++q)
      inverses[static_cast<size_t>(q)] = signed_power<kP>(static_cast<uint64_t>(q), -1);
    for (PlainInt p = 1; p <= kLargestTerm; ++p)
      for (PlainInt q = 1; q <= kLargestTerm; ++q)
        if (p != q && std::gcd(p, q) == 1)
          fractions_.emplace_back(
              times<kP>(static_cast<uint64_t>(p), inverses[static_cast<size_t>(q)]),
              Rational(p, q));
  }
  for (const auto* constants : {&learned_, &fractions_})
    for (const auto& [constant, value] : *constants)
      if (const auto found = numbers.find(times<kP>(r, constant)); found != numbers.end())
        return Multiple{&found->second, Rational(1) / value};
  return std::nullopt;
}

}  // namespace assay::checker::identity
