// Integers of a symbolic replay: a value at one instance of the symbols, and, where it depends on
// them, the polynomial that it is at every instance.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>

namespace symbolic {

// Of a table of the replay; 0: the number is a constant of 64 bits. (No padding: the lifter makes
// keys of bytes.)
using PolynomialId = int64_t;

class Number;
Number add(const Number& a, const Number& b);
Number subtract(const Number& a, const Number& b);
Number multiply(const Number& a, const Number& b);
Number divide(const Number& a, const Number& b);
bool equal(const Number& a, const Number& b);
bool less(const Number& a, const Number& b);
std::strong_ordering compare(const Number& a, const Number& b);
int64_t concrete(const Number& number);

template <class T>
concept Plain = std::integral<T>;

class Number {
 public:
  constexpr Number() = default;
  template <Plain T>
  constexpr Number(T value) : value_(static_cast<int64_t>(value)) {}  // NOLINT
  template <class T>
    requires std::is_enum_v<T>
  constexpr explicit Number(T value) : value_(static_cast<int64_t>(value)) {}
  template <std::floating_point T>
  constexpr explicit Number(T value) : value_(static_cast<int64_t>(value)) {}
  constexpr Number(int64_t value, PolynomialId polynomial)
      : value_(value), polynomial_(polynomial) {}

  // Of a constant. (Of others the replay knows more.)
  constexpr int64_t value() const { return value_; }
  constexpr PolynomialId polynomial() const { return polynomial_; }
  constexpr bool is_constant() const { return polynomial_ == 0; }

  // An index. Decides that the number is this one, as every conversion does. (To two types, so that
  // std::to_string, which would take the index, is ambiguous: decimal() knows the symbols.)
  template <class T>
    requires(std::is_same_v<T, size_t> || std::is_same_v<T, unsigned long long>)
  constexpr operator T() const {  // NOLINT
    const int64_t index = is_constant() ? value_ : concrete(*this);
    if (index < 0) negative_index();
    return static_cast<T>(index);
  }
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, size_t> &&
             !std::is_same_v<T, unsigned long long>)
  constexpr explicit operator T() const {
    return static_cast<T>(is_constant() ? value_ : concrete(*this));
  }

  // Constants take no notice of a replay, unless they leave 64 bits.
  friend constexpr Number operator+(const Number& a, const Number& b) {
    int64_t sum = 0;
    return both(a, b) && !__builtin_add_overflow(a.value_, b.value_, &sum) ? Number(sum)
                                                                           : add(a, b);
  }
  friend constexpr Number operator-(const Number& a, const Number& b) {
    int64_t difference = 0;
    return both(a, b) && !__builtin_sub_overflow(a.value_, b.value_, &difference)
               ? Number(difference)
               : subtract(a, b);
  }
  friend constexpr Number operator*(const Number& a, const Number& b) {
    int64_t product = 0;
    return both(a, b) && !__builtin_mul_overflow(a.value_, b.value_, &product) ? Number(product)
                                                                               : multiply(a, b);
  }
  friend constexpr Number operator/(const Number& a, const Number& b) {
    return both(a, b) && b.value_ != 0 && b.value_ != -1 ? Number(a.value_ / b.value_)
                                                         : divide(a, b);
  }
  friend constexpr Number operator%(const Number& a, const Number& b) {
    return both(a, b) && b.value_ != 0 && b.value_ != -1 ? Number(a.value_ % b.value_)
                                                         : a - a / b * b;
  }
  friend constexpr Number operator<<(const Number& a, int b) { return a * Number(int64_t{1} << b); }
  friend constexpr Number operator>>(const Number& a, int b) {
    return Number(static_cast<int64_t>(a) >> b);
  }
  friend constexpr Number operator&(const Number& a, const Number& b) {
    return Number(static_cast<int64_t>(a) & static_cast<int64_t>(b));
  }
  friend constexpr Number operator|(const Number& a, const Number& b) {
    return Number(static_cast<int64_t>(a) | static_cast<int64_t>(b));
  }
  constexpr Number operator-() const { return Number(0) - *this; }
  constexpr Number operator+() const { return *this; }
  constexpr Number& operator+=(const Number& b) { return *this = *this + b; }
  constexpr Number& operator-=(const Number& b) { return *this = *this - b; }
  constexpr Number& operator*=(const Number& b) { return *this = *this * b; }
  constexpr Number& operator/=(const Number& b) { return *this = *this / b; }
  constexpr Number& operator%=(const Number& b) { return *this = *this % b; }
  constexpr Number& operator++() { return *this += 1; }
  constexpr Number operator++(int) {
    Number old = *this;
    *this += 1;
    return old;
  }
  constexpr Number& operator--() { return *this -= 1; }
  constexpr Number operator--(int) {
    Number old = *this;
    *this -= 1;
    return old;
  }
  friend constexpr bool operator==(const Number& a, const Number& b) {
    return both(a, b) ? a.value_ == b.value_ : equal(a, b);
  }
  friend constexpr bool operator<(const Number& a, const Number& b) {
    return both(a, b) ? a.value_ < b.value_ : less(a, b);
  }
  friend constexpr bool operator>(const Number& a, const Number& b) { return b < a; }
  friend constexpr bool operator<=(const Number& a, const Number& b) { return !(b < a); }
  friend constexpr bool operator>=(const Number& a, const Number& b) { return !(a < b); }
  friend constexpr std::strong_ordering operator<=>(const Number& a, const Number& b) {
    return both(a, b) ? a.value_ <=> b.value_ : compare(a, b);
  }

  template <Plain T>
  friend constexpr Number operator+(T a, const Number& b) {
    return Number(a) + b;
  }
  template <Plain T>
  friend constexpr Number operator+(const Number& a, T b) {
    return a + Number(b);
  }
  template <Plain T>
  friend constexpr Number operator-(T a, const Number& b) {
    return Number(a) - b;
  }
  template <Plain T>
  friend constexpr Number operator-(const Number& a, T b) {
    return a - Number(b);
  }
  template <Plain T>
  friend constexpr Number operator*(T a, const Number& b) {
    return Number(a) * b;
  }
  template <Plain T>
  friend constexpr Number operator*(const Number& a, T b) {
    return a * Number(b);
  }
  template <Plain T>
  friend constexpr Number operator/(T a, const Number& b) {
    return Number(a) / b;
  }
  template <Plain T>
  friend constexpr Number operator/(const Number& a, T b) {
    return a / Number(b);
  }
  template <Plain T>
  friend constexpr Number operator%(T a, const Number& b) {
    return Number(a) % b;
  }
  template <Plain T>
  friend constexpr Number operator%(const Number& a, T b) {
    return a % Number(b);
  }
  template <Plain T>
  friend constexpr bool operator==(const Number& a, T b) {
    return a == Number(b);
  }
  template <Plain T>
  friend constexpr bool operator==(T a, const Number& b) {
    return Number(a) == b;
  }
  template <Plain T>
  friend constexpr bool operator<(T a, const Number& b) {
    return Number(a) < b;
  }
  template <Plain T>
  friend constexpr bool operator<(const Number& a, T b) {
    return a < Number(b);
  }
  template <Plain T>
  friend constexpr bool operator>(T a, const Number& b) {
    return Number(a) > b;
  }
  template <Plain T>
  friend constexpr bool operator>(const Number& a, T b) {
    return a > Number(b);
  }
  template <Plain T>
  friend constexpr bool operator<=(T a, const Number& b) {
    return Number(a) <= b;
  }
  template <Plain T>
  friend constexpr bool operator<=(const Number& a, T b) {
    return a <= Number(b);
  }
  template <Plain T>
  friend constexpr bool operator>=(T a, const Number& b) {
    return Number(a) >= b;
  }
  template <Plain T>
  friend constexpr bool operator>=(const Number& a, T b) {
    return a >= Number(b);
  }
  template <Plain T>
  friend constexpr std::strong_ordering operator<=>(T a, const Number& b) {
    return Number(a) <=> b;
  }
  template <Plain T>
  friend constexpr std::strong_ordering operator<=>(const Number& a, T b) {
    return a <=> Number(b);
  }

  // Of iterators.
  template <class It, class = typename It::iterator_category>
  friend constexpr It operator+(It at, const Number& by) {
    return at + static_cast<std::ptrdiff_t>(by);
  }
  template <class It, class = typename It::iterator_category>
  friend constexpr It operator-(It at, const Number& by) {
    return at - static_cast<std::ptrdiff_t>(by);
  }

 private:
  static constexpr bool both(const Number& a, const Number& b) {
    return a.polynomial_ == 0 && b.polynomial_ == 0;
  }
  [[noreturn]] static void negative_index();

  int64_t value_ = 0;  // at the instance; the nearest of 64 bits where it has more
  PolynomialId polynomial_ = 0;
};

// In the syntax of constraints; equal texts are equal numbers at every instance.
std::string decimal(const Number& value);
template <Plain T>
std::string decimal(T value) {
  return std::to_string(value);
}
Number common_divisor(const Number& a, const Number& b);
inline Number abs(const Number& a) { return a < 0 ? -a : a; }
inline std::ostream& operator<<(std::ostream& out, const Number& v) { return out << decimal(v); }
std::istream& operator>>(std::istream& in, Number& number);
bool add_overflow(const Number& a, const Number& b, Number* c);
bool mul_overflow(const Number& a, const Number& b, Number* c);
}  // namespace symbolic

template <>
struct std::numeric_limits<symbolic::Number> : std::numeric_limits<int64_t> {
  static constexpr symbolic::Number min() { return INT64_MIN; }
  static constexpr symbolic::Number max() { return INT64_MAX; }
};
