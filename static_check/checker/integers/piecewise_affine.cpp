#include "static_check/checker/integers/piecewise_affine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "shared_ir/reference/element_functions.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

// a * x + b on an interval.
struct Line {
  WideInt a = 0;
  WideInt b = 0;
  bool constant() const { return a == 0; }
  bool operator==(const Line&) const = default;
};

struct Span {
  Interval x;
  WideInt low(const Line& line) const { return std::min(first(line), last(line)); }
  WideInt high(const Line& line) const { return std::max(first(line), last(line)); }
  bool single() const { return x.lo == x.hi - 1; }

 private:
  WideInt first(const Line& line) const { return line.a * x.lo + line.b; }
  WideInt last(const Line& line) const { return line.a * (x.hi - 1) + line.b; }
};

Line line_on(const IntegerMap& map, const Span& span) {
  const auto piece =
      std::find_if(map.pieces.begin(), map.pieces.end(), [&](const PiecewiseAffine::Piece& one) {
        return one.x.lo <= span.x.lo && span.x.hi <= one.x.hi;
      });
  const Line line{piece->a, piece->b};
  return span.single() ? Line{0, line.a * span.x.lo + line.b} : line;
}

std::optional<Line> truth(bool always, bool never) {
  if (always == never) return std::nullopt;
  return Line{0, always ? 1 : 0};
}

std::optional<Line> compare(const std::string& fn, const Line& x, const Line& y, const Span& span) {
  const Line difference{x.a - y.a, x.b - y.b};
  const WideInt low = span.low(difference), high = span.high(difference);
  // a * x + b is 0 for no integer x.
  const bool no_root = !difference.constant() && difference.b % difference.a != 0;
  if (no_root && (fn == "eq" || fn == "ne")) return Line{0, fn == "ne" ? 1 : 0};
  if (fn == "ge") return truth(low >= 0, high < 0);
  if (fn == "gt") return truth(low > 0, high <= 0);
  if (fn == "le") return truth(high <= 0, low > 0);
  if (fn == "lt") return truth(high < 0, low >= 0);
  if (fn == "eq") return truth(low == 0 && high == 0, low > 0 || high < 0);
  if (fn == "ne") return truth(low > 0 || high < 0, low == 0 && high == 0);
  return std::nullopt;
}

std::optional<Line> logic(const std::string& fn, const std::vector<Line>& operands) {
  for (const Line& line : operands)
    if (!line.constant() || (line.b != 0 && line.b != 1)) return std::nullopt;
  const bool x = operands[0].b != 0;
  if (fn == "not" && operands.size() == 1) return Line{0, x ? 0 : 1};
  if (operands.size() != 2) return std::nullopt;
  const bool y = operands[1].b != 0;
  if (fn == "and") return Line{0, x && y ? 1 : 0};
  if (fn == "or") return Line{0, x || y ? 1 : 0};
  if (fn == "xor") return Line{0, x != y ? 1 : 0};
  return std::nullopt;
}

// Which of the two is the greater on the whole span; nullopt where that changes.
std::optional<Line> greater(const Line& x, const Line& y, const Span& span) {
  const Line difference{x.a - y.a, x.b - y.b};
  if (span.low(difference) >= 0) return x;
  return span.high(difference) <= 0 ? std::optional(y) : std::nullopt;
}

std::optional<Line> smaller(const Line& x, const Line& y, const Span& span) {
  const auto taken = greater({-x.a, -x.b}, {-y.a, -y.b}, span);
  return taken ? std::optional(Line{-taken->a, -taken->b}) : std::nullopt;
}

// clamp(low, high), where a limit is a whole number or none.
std::optional<Line> clamp(const reference::FunctionName& fn, const Line& x, const Span& span) {
  constexpr double kFar = 1e15;  // up to here texts of whole numbers are exact
  std::optional<Line> result = x;
  for (const size_t limit : {0U, 1U}) {
    if (!result || fn.text(limit) == "none") continue;
    const double number = fn.number(limit);
    if (!(std::abs(number) < kFar) || number != std::trunc(number)) return std::nullopt;
    const Line bound{0, static_cast<PlainInt>(number)};
    result = limit == 0 ? greater(*result, bound, span) : smaller(*result, bound, span);
  }
  return result;
}

std::optional<Line> integer_function(const std::string& fn, const std::vector<Line>& operands,
                                     const Span& span) {
  if (operands.size() == 2 && fn == "maximum") return greater(operands[0], operands[1], span);
  if (operands.size() == 2 && fn == "minimum") return smaller(operands[0], operands[1], span);
  if (operands.size() != 1) return std::nullopt;
  const Line& x = operands[0];
  if (fn == "relu") return greater(x, {}, span);
  const reference::FunctionName called = reference::parse_function_name(fn);
  return called.name == "clamp" && called.type.empty() ? clamp(called, x, span) : std::nullopt;
}

Interval range_of(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return {0, 256};
    case DType::kUint16:
      return {0, 1 << 16};
    case DType::kUint32:
      return {0, Int{1} << 32};
    case DType::kInt8:
      return {-128, 128};
    case DType::kInt16:
      return {-(1 << 15), 1 << 15};
    case DType::kInt32:
      return {std::numeric_limits<int32_t>::min(), Int{1} << 31};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

std::optional<Line> cast(DType from, DType to, const Line& line, const Span& span) {
  if (is_bool(to)) return compare("ne", line, Line{}, span);
  if (is_floating(to) || is_bool(from)) return line;
  const Interval target = range_of(to);
  if (widens(from, to) || (span.low(line) >= target.lo && span.high(line) < target.hi)) return line;
  return std::nullopt;
}

std::optional<Line> apply(const CoreOp& op, DType operand_dtype, const std::vector<Line>& operands,
                          const Span& span) {
  switch (op.prim) {
    case Prim::kLinear: {
      Line sum;
      for (size_t i = 0; i < operands.size(); ++i) {
        if (!op.coefs[i].is_integer()) return std::nullopt;
        sum.a += op.coefs[i].numerator() * operands[i].a;
        sum.b += op.coefs[i].numerator() * operands[i].b;
      }
      return sum;
    }
    case Prim::kMul:
    case Prim::kKeep: {
      const bool first = operands[0].constant();
      if (!first && !operands[1].constant()) return std::nullopt;
      const Line &constant = operands[first ? 0 : 1], &other = operands[first ? 1 : 0];
      return Line{constant.b * other.a, constant.b * other.b};
    }
    case Prim::kCast:
      return cast(operand_dtype, op.dtype, operands[0], span);
    case Prim::kMap:
      if (operands.size() == 2)
        if (const auto result = compare(op.fn, operands[0], operands[1], span)) return result;
      if (operands.empty()) return std::nullopt;
      return is_bool(op.dtype) ? logic(op.fn, operands) : integer_function(op.fn, operands, span);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool widens(DType from, DType to) {
  if (is_floating(from) || is_bool(to)) return from == to;
  if (is_floating(to) || is_bool(from)) return true;
  const Interval source = range_of(from), target = range_of(to);
  return target.lo <= source.lo && source.hi <= target.hi;
}

bool holds_by_pieces(const Facts& facts, const Region& region, const CoreOp& op,
                     DType operand_dtype, const std::vector<Element>& operands,
                     const Element& claim) {
  std::vector<IntegerMap> maps;
  for (const Element& element : operands) {
    auto map = as_integer(facts, region, element);
    // Of floating numbers, those that are constants or were integers.
    if (!map || (map->of.atom != kNone && is_floating(facts.atom(map->of.atom).dtype)))
      return false;
    maps.push_back(std::move(*map));
  }
  auto claimed = as_integer(facts, region, claim);
  if (!claimed) return false;
  maps.push_back(std::move(*claimed));

  Factor of{kNone, {}};
  std::set<Int> edges{INT64_MIN, INT64_MAX};
  for (const IntegerMap& map : maps) {
    for (const PiecewiseAffine::Piece& piece : map.pieces) edges.insert({piece.x.lo, piece.x.hi});
    if (map.of.atom == kNone) continue;
    if (of.atom != kNone && of != map.of) return false;
    of = map.of;
  }
  const bool boolean = of.atom != kNone && facts.boolean(of.atom);
  if (boolean) edges.insert({0, 1, 2});
  for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge) {
    const Span span{{*edge, *std::next(edge)}};
    if (boolean && (span.x.hi <= 0 || span.x.lo >= 2)) continue;
    std::vector<Line> lines;
    for (const IntegerMap& map : maps) lines.push_back(line_on(map, span));
    const Line expected = lines.back();
    lines.pop_back();
    const std::optional<Line> found = apply(op, operand_dtype, lines, span);
    if (!found || *found != expected) return false;
  }
  return true;
}

}  // namespace assay::checker
