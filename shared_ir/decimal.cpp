#include "shared_ir/decimal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

constexpr int kMostDigits = 6, kMostDigitsComputed = 8;
constexpr int kMostDigitsOfFloat = 4;
constexpr int kFewestWrittenOut = 7, kMostWrittenOut = 14;
constexpr int kMostTens = 18;  // 10^18 fits 64 bits

std::optional<Rational> fraction(const std::string& scientific) {
  const size_t split = scientific.find('e');
  std::string digits = scientific.substr(0, split);
  int exponent = std::atoi(scientific.c_str() + split + 1);
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  if (std::abs(exponent) > kMostTens) return std::nullopt;
  Int tens = 1;
  for (int i = 0; i < std::abs(exponent); ++i) tens *= 10;
  const Int mantissa = std::atoll(digits.c_str());
  try {
    return exponent < 0 ? Rational(mantissa, tens) : Rational(mantissa) * Rational(tens);
  } catch (const RationalOverflow&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Rational> short_decimal(double value) {
  if (!std::isfinite(value) || value == 0) return std::nullopt;
  const bool single = static_cast<double>(static_cast<float>(value)) == value;
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    const double written = std::strtod(text.c_str(), nullptr);
    const bool same =
        written == value || (single && digits <= kMostDigitsOfFloat &&
                             static_cast<float>(written) == static_cast<float>(value));
    if (same) return fraction(text);
  }
  return std::nullopt;
}

std::optional<Rational> computed_fraction(double value) {
  constexpr double kUnit = 0x1p-52;
  const double size = std::abs(value);
  // Below, what is left of a difference of numbers around 1 says little of what was meant.
  if (!(size > 1e-6 && size < 1e6)) return std::nullopt;
  const auto decimal = [&](double number) {
    const std::string text = fmt::format("{:.{}e}", number, kMostDigitsComputed - 1);
    return std::pair(text, std::strtod(text.c_str(), nullptr));
  };
  if (const auto [text, written] = decimal(value);
      std::abs(written - value) <= kUnit * std::max(1.0, 4 * size))
    return fraction(text);
  constexpr int kLargest = 4096;
  const auto simple = first_convergent(value, kLargest, [&](double candidate) {
    return candidate != 0 && std::abs(candidate - value) <= 4 * kUnit * size;
  });
  if (simple && simple->fits(kLargest)) return simple;
  // Of a divisor that is such a decimal, with its own error.
  if (const auto [text, written] = decimal(1 / value);
      std::abs(written - 1 / value) <= kUnit * std::max(1.0, 4 / size))
    if (const auto divisor = fraction(text)) return Rational(1) / *divisor;
  return std::nullopt;
}

bool is_written_out(double constant, double number) {
  for (int digits = kFewestWrittenOut; digits <= kMostWrittenOut; ++digits) {
    const std::string text = fmt::format("{:.{}e}", constant, digits - 1);
    if (std::strtod(text.c_str(), nullptr) == constant)
      return text == fmt::format("{:.{}e}", number, digits - 1);
  }
  return false;
}

}  // namespace assay
