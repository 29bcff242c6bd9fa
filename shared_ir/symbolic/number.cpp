#include "shared_ir/symbolic/number.h"

#include <istream>
#include <numeric>
#include <ostream>
#include <stdexcept>

#include "shared_ir/symbolic/replay.h"

namespace symbolic {

Number add(const Number& a, const Number& b) { return Replay::current().add(a, b, 1); }
Number subtract(const Number& a, const Number& b) { return Replay::current().add(a, b, -1); }
Number multiply(const Number& a, const Number& b) { return Replay::current().multiply(a, b); }
Number divide(const Number& a, const Number& b) { return Replay::current().divide(a, b); }
bool equal(const Number& a, const Number& b) { return Replay::current().equal(a, b); }
bool less(const Number& a, const Number& b) { return Replay::current().less(a, b); }
std::strong_ordering compare(const Number& a, const Number& b) {
  return Replay::current().compare(a, b);
}
int64_t concrete(const Number& number) { return Replay::current().concrete(number); }

std::string decimal(const Number& number) {
  return number.is_constant() ? std::to_string(number.value()) : Replay::current().text(number);
}

Number common_divisor(const Number& a, const Number& b) {
  const auto is_plain = [](const Number& x) { return x.is_constant() && x.value() != INT64_MIN; };
  if (is_plain(a) && is_plain(b)) return std::gcd(a.value(), b.value());
  return Replay::current().common_divisor(a, b);
}

void Number::negative_index() { throw std::logic_error("an index below 0"); }

namespace {

// Whether it leaves 64 bits, which must not depend on the symbols.
bool leaves(const Number& number) {
  if (fits(Replay::current().value_of(number))) return false;
  if (!Replay::current().number_of(number)) throw Overflow{};
  return true;
}

}  // namespace

bool add_overflow(const Number& a, const Number& b, Number* sum) {
  const Number exact = a + b;
  if (!exact.is_constant() && leaves(exact)) return true;
  *sum = exact;
  return false;
}
bool mul_overflow(const Number& a, const Number& b, Number* product) {
  const Number exact = a * b;
  if (!exact.is_constant() && leaves(exact)) return true;
  *product = exact;
  return false;
}

// Up to one of the characters that end a number in a list.
std::istream& operator>>(std::istream& in, Number& number) {
  std::string text;
  in >> std::ws;
  while (in.peek() != std::char_traits<char>::eof() &&
         std::string(",:[]").find(static_cast<char>(in.peek())) == std::string::npos)
    text += static_cast<char>(in.get());
  if (const auto printed = Replay::current().parse(text)) {
    number = *printed;
    return in;
  }
  size_t end = 0;
  try {
    number = Number(static_cast<int64_t>(std::stoll(text, &end)));
  } catch (const std::exception&) {
  }
  if (end != text.size() || text.empty()) in.setstate(std::ios::failbit);
  return in;
}

}  // namespace symbolic
