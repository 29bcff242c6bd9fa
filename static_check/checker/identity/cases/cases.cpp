#include "static_check/checker/identity/cases/cases.h"

#include <cmath>
#include <map>

namespace assay::checker::identity {
namespace {

// Differences that others are looked for among; without them more cases are drawn.
constexpr size_t kMostImplying = 128;

uint64_t smaller(uint64_t r) { return std::min(r, minus<kP>(r)); }

}  // namespace

Cases::Cases(uint64_t seed, const Kind& kind, Learned& learned, TieChoice& choice)
    : random_(seed), kind_(kind), learned_(learned), choice_(choice), points_(choice.points) {}

uint64_t Cases::draw(std::string_view name, std::span<const uint64_t> keys, uint64_t limit) const {
  return random_(name, keys).r % limit;
}

bool Cases::flag(const Element& at) const {
  const uint64_t keys[] = {static_cast<uint64_t>(at.atom), static_cast<uint64_t>(at.place)};
  const uint64_t one = draw("flag", keys, 16);
  if (!kind_.biased) return one < 8;
  switch (draw("bias", std::span(keys, 1), 4)) {
    case 0:
      return false;
    case 1:
      return true;
    case 2:
      return one == 0;
    default:
      return one != 0;
  }
}

std::optional<PlainInt> Cases::index(const Element& at, PlainInt& size) const {
  const auto found = learned_.tables.find(at);
  if (found == learned_.tables.end()) return std::nullopt;
  size = found->second.size();
  const uint64_t keys[] = {static_cast<uint64_t>(at.atom), static_cast<uint64_t>(at.place)};
  return found->second.index(static_cast<PlainInt>(draw("row", keys, static_cast<uint64_t>(size))));
}

std::optional<PlainInt> Cases::chosen(const Element& at, PlainInt values) const {
  if (learned_.collects) {
    const auto [known, first] = learned_.choices.try_emplace(at, Choice{0, values});
    if (!first) known->second.values = std::min(known->second.values, values);
    return 0;
  }
  const auto known = learned_.choices.find(at);
  if (known == learned_.choices.end() || known->second.values > values) return std::nullopt;
  return known->second.value;
}

void Cases::learn_table(uint64_t r, const Table& table) {
  const auto at = integers_.find(r);
  if (at == integers_.end()) return;
  const auto [known, first] = learned_.tables.try_emplace(at->second, table);
  const Table common = known->second.common(table);
  if (common.size() < 1) return;
  learned_.changed |= first || common.size() < known->second.size();
  known->second = common;
}

const Tie* Cases::tie(const Element& at) const {
  if (!kind_.ties) return nullptr;
  const uint64_t keys[] = {static_cast<uint64_t>(at.atom), static_cast<uint64_t>(at.place)};
  const auto known = learned_.ties.find(at);
  if (known == learned_.ties.end() || draw("set", keys, 4) > 1) return nullptr;
  return &known->second[draw("tie", keys, known->second.size())];
}

void Cases::remember_real(uint64_t r, const Element& at) {
  bases_[smaller(r)].form = {{at, Rational(smaller(r) == r ? 1 : -1)}};
}

int32_t Cases::store(const Line& line) {
  lines_.push_back(line);
  return static_cast<int32_t>(lines_.size() - 1);
}

void Cases::describe(uint64_t base, int orientation, const Number& number) {
  if (!number.positive && !number.nonnegative && number.side == 0) return;
  Base& known = bases_[base];
  (orientation > 0 ? known.positive : known.negative) |= number.positive;
  (orientation > 0 ? known.nonnegative : known.nonpositive) |= number.nonnegative;
  if (known.side == 0 && number.side != 0)
    known.side = orientation > 0 ? number.side : minus<kP>(number.side);
}

void Cases::describe_sum(uint64_t base, const std::vector<std::pair<uint64_t, Rational>>& terms) {
  constexpr size_t kMostElements = 4;
  std::map<Element, Rational> sum;
  for (const auto& [of, coefficient] : terms) {
    const auto known = bases_.find(of);
    if (known == bases_.end() || known->second.form.empty()) return;
    for (const auto& [element, times] : known->second.form) {
      const auto [entry, first] = sum.try_emplace(element, Rational(0));
      entry->second = entry->second + times * coefficient;
    }
  }
  std::erase_if(sum, [](const auto& term) { return term.second.is_zero(); });
  if (sum.size() <= kMostElements) bases_[base].form.assign(sum.begin(), sum.end());
}

int Cases::side_of(uint64_t key, const Base& base) const {
  return is_square(base.side != 0 ? base.side : key) ? 1 : -1;
}

void Cases::place(uint64_t key, Base& base) {
  base.placed = true;
  const bool above = base.positive || base.nonnegative, below = base.negative || base.nonpositive;
  const bool known = base.positive || base.negative;
  if (!above && !below) base.coins += 1;
  base.position.take_side(above ? 1 : below ? -1 : side_of(key, base), !known);
}

// The sum of two that are positive is positive.
std::optional<int> Cases::implied(uint64_t r) const {
  for (const int sign : {1, -1}) {
    const uint64_t own = sign > 0 ? r : minus<kP>(r);
    if (positive_set_.contains(own)) return sign;
    for (const uint64_t other : positive_)
      if (positive_set_.contains(plus<kP>(own, minus<kP>(other)))) return sign;
  }
  return std::nullopt;
}

int Cases::toss(uint64_t key, const Rational& at, Base& base) const {
  const Residues t = residues_of(at);
  const uint64_t keys[] = {key, t.r};
  // A tie of elements that are compared is one of the inputs themselves.
  const bool ties = kind_.ties && base.form.empty();
  const uint64_t drawn = draw("side", keys, ties ? 3 : 2);
  if (const auto end = base.position.end(at)) {
    if (ties && base.coins != 1) base.coins += 1;  // with the side, one of three
    return ties && drawn == 2 ? 0 : *end;
  }
  base.coins += 1;
  return drawn == 0 ? 1 : drawn == 1 ? -1 : 0;
}

float Cases::bits(const Base& base) const {
  if (!kind_.ties) return base.coins;
  if (base.form.empty()) return base.coins * std::log2(3.0F);
  // One is left alone, or set to one of these, and then there is a toss.
  size_t most = 1;
  for (const auto& [element, times] : base.form)
    if (const auto known = learned_.ties.find(element); known != learned_.ties.end())
      most = std::max(most, known->second.size());
  return base.coins + 1 + std::log2(static_cast<float>(most));
}

void Cases::learn(Base& base, const Rational& at) {
  learned_.flags = true;
  if (base.form.empty()) return;
  const auto& [last, times] = base.form.back();
  // With ties elements are compared with what others were set to: x^2 < z asks for the sign of z
  // where x is 0. Of these only some are kept.
  constexpr size_t kMostBeside = 8;
  if (kind_.ties && learned_.ties[last].size() >= kMostBeside) return;
  Tie tie{{}, at / times};
  for (size_t i = 0; i + 1 < base.form.size(); ++i)
    tie.others.emplace_back(base.form[i].first, -(base.form[i].second / times));
  learned_.add(learned_.ties[last], tie);
}

bool Cases::is_zero(const Line& of) const {
  const auto point = points_.find(of.base);
  return point != points_.end() && (of.alpha * point->second + of.beta).is_zero();
}

Decision Cases::sign(const Line& of, uint64_t r, Meaning meaning) {
  const Rational at = -of.beta / of.alpha;
  const int direction = of.alpha.is_positive() ? 1 : -1;
  Base& base = bases_[of.base];
  if (!base.placed) {
    const bool free = !base.positive && !base.negative && !base.nonnegative && !base.nonpositive;
    const auto sign = free ? implied(r) : std::nullopt;
    if (sign) {
      base.placed = true;
      base.coins += 2;
      base.position.decide(at, *sign * direction);
    } else {
      place(of.base, base);
    }
  }
  const bool certain = at.is_zero() && (base.positive || base.negative);
  if (meaning == Meaning::kComparison && !certain) learn(base, at);
  auto sign = base.position.known(at);
  if (!sign) {
    const auto follows = base.position.end(at) ? std::nullopt : implied(r);
    sign = follows ? *follows * direction : toss(of.base, at, base);
    if (follows) base.coins += 2;
    base.position.decide(at, *sign);
  }
  const bool tie = *sign == 0;
  if (tie && meaning == Meaning::kComparison) {
    choice_.compared.try_emplace(of.base, direction);
    choice_.points.try_emplace(of.base, at);
  }
  if (tie && meaning == Meaning::kContinuous) {
    const auto compared = choice_.compared.find(of.base);
    if (compared == choice_.compared.end())
      sign = side_of(of.base, base);
    else
      sign = choice_.with_comparison ? -compared->second : compared->second;
  }
  const int result = *sign * direction;
  if (!tie && positive_.size() < kMostImplying) {
    const uint64_t positive = result > 0 ? r : minus<kP>(r);
    if (positive_set_.insert(positive).second) positive_.push_back(positive);
  }
  return {result, coins_.coin(of.base, bits(base))};
}

}  // namespace assay::checker::identity
