// Numbers that are not negative as words: products of rational powers of letters, of a positive
// fraction and of an exponential. The root of a word is the word of the roots, and the logarithm
// the sum of the letters' logarithms: (x y)^k = x^k y^k for x, y >= 0, log (x y) = log x + log y
// for x, y > 0 (Hardy, "A course of pure mathematics", on powers and logarithms of positive
// numbers).
//
// A number is spelled as it was computed, or as one that was spelled before, times or divided by a
// third whose word is known. All three are not negative; where a product is positive, so are its
// factors. A quotient that is a known number by chance only, with a probability of 2^-60 for each
// pair, would have to be one with both seeds to matter.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostSpelled = 192, kMostNoted = size_t{1} << 13;
constexpr int kDeepest = 48;
constexpr PlainInt kLongest = 256;  // terms of powers

void append(Word& word, const Word& other, const Rational& power) {
  if (!other.constant.is_one()) {
    if (power == Rational(1))
      word.constant = word.constant * other.constant;
    else if (power == Rational(-1))
      word.constant = word.constant / other.constant;
    else
      throw RationalOverflow();
  }
  word.exponent = word.exponent + residues_of(power) * other.exponent;
  for (const Letter& letter : other.letters) {
    auto at = std::find_if(word.letters.begin(), word.letters.end(),
                           [&](const Letter& x) { return x.of.r == letter.of.r; });
    if (at == word.letters.end()) at = word.letters.insert(at, {letter.of, Rational(0)});
    at->power = at->power + letter.power * power;
    if (!at->power.fits(kLongest)) throw RationalOverflow();
    if (at->power.is_zero()) word.letters.erase(at);
  }
}

}  // namespace

void Algebra::note_nonnegative(const Number& x) {
  if (!x.nonnegative || x.kind == Kind::kConstant || !x.is_finite() || x.value.r == 0) return;
  if (spelling_.noted.size() >= 2 * kMostNoted) return;
  if (spelling_.noted.try_emplace(x.value.r, x.value, 1).second)
    spelling_.noted.try_emplace(times<kP>(x.value.r, x.value.r), x.value, 2);
}

// Of what needs no other numbers.
std::optional<Word> Algebra::plain_word(uint64_t r) {
  if (const auto found = spelling_.words.find(r); found != spelling_.words.end())
    return found->second;
  Word word;
  if (const auto found = constants_.find(r); found != constants_.end()) {
    word.constant = rationals_[static_cast<size_t>(found->second)];
    if (word.constant.is_positive()) return word;
    return std::nullopt;
  }
  if (const auto found = exponents_.find(r);
      found != exponents_.end() && found->second.kind != Kind::kLog) {
    word.exponent = found->second.value;
    return word;
  }
  if (spelling_.fractions.empty())
    for (PlainInt p = 1; p <= 24; ++p)
      for (PlainInt q = 1; q <= 24; ++q)
        spelling_.fractions.try_emplace(residues_of(Rational(p, q)).r, Rational(p, q));
  if (const auto found = spelling_.fractions.find(r); found != spelling_.fractions.end()) {
    word.constant = found->second;
    return word;
  }
  return std::nullopt;
}

std::optional<Word> Algebra::word_by_quotient(uint64_t r, int depth) {
  const auto word_of = [&](uint64_t rest) -> std::optional<Word> {
    if (auto word = plain_word(rest)) return word;
    const auto found = spelling_.noted.find(rest);
    if (depth > 0 || found == spelling_.noted.end() || found->second.first.r == r)
      return std::nullopt;
    const auto [base, power] = found->second;
    Word word;
    append(word, spell(base, kDeepest), Rational(power));
    return word;
  };
  const uint64_t inverse = signed_power<kP>(r, -1);
  for (size_t i = 0; i < spelling_.spelled.size(); ++i) {
    const auto [other, other_inverse] = spelling_.spelled[i];
    struct Way {
      uint64_t rest;
      int of_other, of_rest;
    };
    for (const Way& way : {Way{times<kP>(r, other_inverse), 1, 1}, Way{times<kP>(r, other), -1, 1},
                           Way{times<kP>(inverse, other), 1, -1}}) {
      const auto rest = word_of(way.rest);
      if (!rest) continue;
      Word word;
      append(word, spelling_.words.at(other), Rational(way.of_other));
      append(word, *rest, Rational(way.of_rest));
      return word;
    }
  }
  return std::nullopt;
}

// What is this number by another way of adding up is positive, too (moments: of a variance).
void Algebra::note_positive(const Number& sum, const std::vector<Number>& terms) {
  if (cases() == nullptr && positive_sums_.size() < kMostNoted) learn_positive(sum);
  if (spelling_.first_terms.size() >= 2 * kMostNoted || terms.size() < 2) return;
  for (const Number& x : terms)
    if (!x.nonnegative || x.is_constant()) return;
  if (!terms[0].positive) return;
  const auto deeper = spelling_.first_terms.find(terms[0].value.r);
  spelling_.first_terms.try_emplace(
      sum.value.r, deeper == spelling_.first_terms.end() ? terms[0].value : deeper->second);
}

// A multiple of another sum by what their first terms' quotient is.
std::optional<Word> Algebra::word_by_terms(uint64_t r) {
  const auto own = spelling_.first_terms.find(r);
  if (own == spelling_.first_terms.end()) return std::nullopt;
  for (size_t i = 0; i < spelling_.spelled.size(); ++i) {
    const uint64_t other = spelling_.spelled[i].first;
    const auto theirs = spelling_.first_terms.find(other);
    if (theirs == spelling_.first_terms.end() ||
        times<kP>(r, theirs->second.r) != times<kP>(other, own->second.r))
      continue;
    Word word;
    append(word, spelling_.words.at(other), Rational(1));
    append(word, Word(spell(own->second, kDeepest)), Rational(1));
    append(word, Word(spell(theirs->second, kDeepest)), Rational(-1));
    return word;
  }
  return std::nullopt;
}

const Word& Algebra::spell(const Residues& x, int depth) {
  if (const auto found = spelling_.words.find(x.r); found != spelling_.words.end())
    return found->second;
  std::optional<Word> word;
  try {
    word = plain_word(x.r);
    const auto computed = factors_.find(x.r);
    if (!word && computed != factors_.end() && depth < kDeepest) {
      const auto [a, b] = computed->second;
      // What is one of its own factors says nothing of it.
      const auto is_itself = [&](const LogTerm& term) {
        return !term.coef.is_zero() && term.of.r == x.r;
      };
      if (!is_itself(a) && !is_itself(b)) {
        word.emplace();
        for (const LogTerm& term : {a, b})
          if (!term.coef.is_zero()) append(*word, Word(spell(term.of, depth + 1)), term.coef);
      }
    }
    if (!word) word = word_by_quotient(x.r, depth);
    if (!word && depth < kDeepest) word = word_by_terms(x.r);
  } catch (const RationalOverflow&) {
    word.reset();
  }
  if (!word) word = Word{Rational(1), {}, {{x, Rational(1)}}};
  if (spelling_.spelled.size() < kMostSpelled && !word->letters.empty())
    spelling_.spelled.emplace_back(x.r, signed_power<kP>(x.r, -1));
  store(word->letters.size());
  return spelling_.words.insert_or_assign(x.r, std::move(*word)).first->second;
}

}  // namespace assay::checker::identity
