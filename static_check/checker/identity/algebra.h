// Numbers in which equal functions of the inputs are equal, and others differ but with negligible
// probability: polynomial identity testing (Schwartz, "Fast probabilistic algorithms for
// verification of polynomial identities") with exponentials as powers in a group whose order is the
// second prime (Wu et al., "Mirage", OSDI '25).
//
// What is not known to hold makes a random function of everything it depends on, equal to itself
// alone. A division takes it that the divisor is not 0; nothing else is taken for granted: rules
// that hold for positive numbers alone (of logarithms and roots) are used where the number is
// known to be positive.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "static_check/checker/identity/cases/cases.h"
#include "static_check/checker/identity/evaluated_number.h"
#include "static_check/checker/identity/hash.h"
#include "static_check/checker/identity/powers/circle.h"
#include "static_check/checker/identity/reading.h"
#include "static_check/checker/identity/scales.h"
#include "static_check/checker/identity/selections/selections.h"

namespace assay::checker::identity {

class Algebra {
 public:
  // Constants that are read as irrational numbers are put down in `notes`. It must outlive this.
  Algebra(uint64_t seed, std::set<std::string>& notes, Reading reading = {});

  // -- constants (constants.cpp) --
  Number exact(const Rational& value, Type type = kReal);
  Number exact_flag(bool value) { return exact(Rational(value ? 1 : 0), kFlag); }
  // A constant of a program. Of real numbers one that is an irrational number but for rounding
  // stands for that.
  Number constant(const Rational& value, Type type);
  Number constant(double value);  // real; NaN gives NaN
  // Whether it is a number that programs write down.
  bool is_known_constant(double value);
  static Number infinity(bool negative);
  static Number undefined() { return {}; }
  const Rational& rational(const Number& x) const { return rationals_[index(x)]; }
  bool is_exactly(const Number& x, const Rational& value) const {
    return x.is_constant() && rational(x) == value;
  }
  Number log_two();  // and other irrational numbers
  Number root_two() const { return irrational(root_two_); }
  Number root_pi() const { return irrational(root_pi_); }

  // -- random functions --
  Residues random(std::string_view name, std::span<const uint64_t> keys) const {
    return random_(name, keys);
  }
  // A function of the operands: of their values, and of how they wrap. NaN where one is not finite.
  Number unknown(std::string_view name, std::span<const Number> operands, Type type,
                 std::span<const uint64_t> attributes = {});
  // A free variable: a flag where the type says so.
  Number variable(const Residues& value, Type type);

  // -- sums and products (algebra.cpp) --
  Number sum(std::vector<Number> terms);
  Number add(const Number& a, const Number& b) { return sum({a, b}); }
  Number subtract(const Number& a, const Number& b) { return sum({a, negated(b)}); }
  Number scaled(const Number& x, const Rational& by);
  Number negated(const Number& x) { return scaled(x, Rational(-1)); }
  Number multiply(const Number& a, const Number& b);
  // A sum that is this number is positive, too.
  void learn_positive(const Number& x) {
    if (x.positive) positive_sums_.insert(x.value.r);
  }
  Number reciprocal(const Number& x);
  Number power(const Number& x, PlainInt exponent);

  // -- exponentials, logarithms, roots (powers/) --
  Number exp(const Number& x);
  Number log(const Number& x);
  Number root(const Number& x, PlainInt numerator, PlainInt denominator);

  // -- sines (powers/circle.h) --
  Number cos(const Number& x) { return variable(circle_.point(x.value).first, kReal); }
  Number sin(const Number& x) { return variable(circle_.point(x.value).second, kReal); }

  // -- extrema (extrema.cpp) --
  Number maximum(const std::vector<Number>& of);
  Number minimum(const std::vector<Number>& of);
  // The same of a number and a limit that keeps it finite, of which neither is decided where sets
  // stay functions: ties may have left one number of a set.
  Number limited(const Number& x, const Number& limit, bool above);

  // -- flags (flags.cpp) --
  bool is_flag(const Number& x) const;
  Number flag(const Residues& value);  // a flag that is not known to be others' product
  Number greater(const Number& a, const Number& b);
  Number equal(const Number& a, const Number& b);
  // The index lies in the table, as the caller has checked: it is equal to one of what that
  // contains. Where it was not known before, what was computed without it may be other flags.
  void learn_table(const Number& index, const Table& table);
  bool lies_in_table(const Number& index, const Table& table) const;
  bool learned_late() const { return learned_late_; }
  Number negation(const Number& flag);
  Number disjunction(const Number& a, const Number& b);
  Number keep(const Number& flag, const Number& x);
  Number where(const Number& flag, const Number& yes, const Number& no);

  // -- numbers that are infinite where a flag is met (selections/hidden.cpp): only what is here is
  // known of them --
  Number hide(const Number& flag, const Number& x);
  Number exp_of_hidden(const Number& x);
  Number greatest_of_hidden(const std::vector<Number>& of);
  bool may_be_nothing(const Number& x) const;  // as flags leave it out
  Number limited_hidden(const Number& x);      // from below, by what is far
  // The flag; nullopt of other numbers.
  std::optional<Number> is_minus_infinity(const Number& x) const;

  // -- selections (selections.cpp): nullopt where they are not represented --
  // Of the values the one whose number stands at that place of the row in descending order, equal
  // ones as they come.
  std::optional<Number> select(const std::vector<Number>& row, PlainInt place,
                               const std::vector<Number>& values, Type type);
  // A function of numbers of which some are selections by one row; where none is, nullopt.
  using OfMembers = std::function<std::optional<Number>(std::span<const Number>)>;
  std::optional<Number> member_by_member(std::span<const Number> of, Type type,
                                         const OfMembers& function);
  // The same of numbers some of which depend on a flag. nullopt where the function is no number of
  // one of the two, and where numbers depend on too many flags.
  std::optional<Number> branch_by_branch(std::span<const Number> of, Type type,
                                         const OfMembers& function);
  // Whether all are constants or selections of such, one of them a selection.
  bool selects_constants(std::span<const Number> of) const;
  // Of c exp(a), c exp(b), ... with c > 0 the numbers a, b, ..., whose order they have.
  std::optional<std::vector<Number>> exponents_of(const std::vector<Number>& row);
  // Where an increasing function was taken of each: these, in their order (alike_in_order.cpp).
  std::optional<std::vector<Number>> alike_in_order(std::vector<Number> row);
  void learn_extreme(const Number& x, const std::vector<Number>& of, const std::vector<Number>& as);
  // What a function gave of a sum that is now known as a selection; nullopt of other numbers.
  std::optional<Number> known_of_sum(const std::string& function, const Number& x) const;
  void learn_of_sum(const std::string& function, const Number& x, const Number& result);
  // Where indices are read so: an input that the table is known to contain.
  void select_values(const Number& index, const Table& table);
  // What stands at a place of a row in descending order.
  Number standing_at(PlainInt place, const std::vector<Number>& row);
  static constexpr size_t kMostSorted = 64;
  // Of a row that says at each place which member, 0, 1, ..., stands there: of each the place.
  std::optional<std::vector<Number>> places_of_members(const std::vector<Number>& row);
  // Whether the table has all places; nullopt where the index is none of these.
  std::optional<bool> place_lies_in(const Number& index, const Table& table) const;

  // -- types (types.cpp) --
  // A result of this type: a constant that wraps is none any more; a bool is a flag.
  Number typed(Number x, Type type);
  Number cast(const Number& x, Type to);
  Number as_integer(const Number& x, Type to);  // of a number that is one of that type

  // -- cases (cases/) --
  Cases* cases() const { return reading_.cases; }
  // An element of an atom: a variable, or what it is in this case.
  Number element(const Element& at, Type type);
  // The absolute value, and of what is not infinite 1, 0 or -1. In cases alone.
  Number magnitude(const Number& x);
  // Without cases: `of` is |x|.
  void learn_magnitude(const Number& of, const Number& x);
  Number sign(const Number& x, Meaning meaning);
  // Where the elements of a sorted row were, equal ones in any order; and the place of the greatest
  // or least: of equal ones the place in the row decides (kComparison), or any is right.
  std::vector<size_t> order(const std::vector<Number>& row, Dependence& depends);
  size_t place_of_extreme(const std::vector<Number>& row, bool least, Meaning meaning,
                          Dependence& depends);
  Number rooted(const Dependence& on, FreeRoot where_free, const std::function<Number()>& make);
  // Of a sum and of a product of both, of a function that is not linear, of such a one of several
  // numbers. Of nothing without cases.
  Dependence either(const Dependence& a, const Dependence& b);
  Dependence both(const Dependence& a, const Dependence& b);
  Dependence function_of(const Dependence& a);
  Dependence one_over(const Number& x);
  Dependence all(std::span<const Number> of);

  // Whether both are one function. False of NaN.
  bool same(const Number& a, const Number& b) const;

 private:
  static size_t index(const Number& x) { return static_cast<size_t>(x.form); }
  template <class Form>
  static Number with_form(const Residues& value, Kind kind, std::deque<Form>& forms, Form form) {
    forms.push_back(std::move(form));
    Number result;
    result.value = value;
    result.kind = kind;
    result.form = static_cast<int32_t>(forms.size() - 1);
    return result;
  }
  // Counts what forms are made of. Throws Rejection when that is too much to store.
  void store(size_t parts);
  // Of these residues, with nothing else known; 0 and 1 are constants.
  Number ordinary(const Residues& value, Type type = kReal);
  Number irrational(const Residues& value) const;
  std::optional<Number> read_irrational(double value);
  std::optional<Number> read_logarithm(double value);
  std::optional<Number> read_computed(double value);

  // The operations but for what cases keep of their results.
  Number plain_sum(std::vector<Number> terms);
  Number plain_multiple(const Number& x, const Rational& by);
  Number plain_product(const Number& a, const Number& b);
  Number plain_reciprocal(const Number& x);
  Number plain_exp(const Number& x);
  Number plain_log(const Number& x);
  Number plain_root(const Number& x, PlainInt numerator, PlainInt denominator);
  Number plain_typed(Number x, Type type);
  Number plain_cast(const Number& x, Type to);
  Number plain_maximum(const std::vector<Number>& of);
  bool are_flags(const std::vector<Number>& of) const;
  void note_factors(const Number& product, const Number& a, const Number& b);
  void note_terms(uint64_t base, const std::vector<std::pair<uint64_t, Rational>>& terms);
  std::optional<Number> sign_by_factor(uint64_t base, Meaning meaning);
  std::optional<Number> decided_by_flag(const Number& a, const Number& b, bool greater);
  Number any_flag(const std::vector<Number>& of);
  Number plain_minimum(const std::vector<Number>& of);

  float bound_of(std::span<const Number> terms) const;
  static bool may_not_wrap(float bound, Type type);
  static void bounded(Number& x, float bound);
  Line line_of(const Number& x);
  void set_line(Number& result, const std::vector<Number>& terms);
  uint64_t side_of(const Number& x) const;
  // Whether it is greater, or else equal.
  Number decided_comparison(const Number& a, const Number& b, bool greater);
  Number compared_integers(const Number& a, const Number& b, bool greater);
  Number decided_maximum(const std::vector<Number>& of);
  std::optional<Number> argument_above_one(const Number& x);
  std::optional<std::pair<Number, Number>> arguments_of(const Number& a, const Number& b);
  Number infinite_product(const Number& infinite, const Number& by);
  int ordered(const Number& a, const Number& b, Meaning meaning, Dependence& decided);

  Residues formal_log(const Residues& of);
  void learn_factors(const Number& product, const LogTerm& a, const LogTerm& b);

  bool same_direction(const Number& a, const Number& b) const;
  Number sum_of_finite(const std::vector<Number>& terms, Type type);
  std::optional<Number> exact_sum(const std::vector<Number>& terms, Type type);
  std::optional<Number> sum_of_kept(const std::vector<Number>& terms);
  std::optional<Number> sum_of_kept_logs(const std::vector<Number>& terms);
  std::optional<Number> sum_of_roots(const std::vector<Number>& terms);
  std::optional<Number> branches(const KeptForm& a, const KeptForm& b);
  Number kept(std::vector<Residues> flags, Number value);
  Number hidden_form(HiddenForm form);
  Number kept_of_hidden(const Number& flag, const Number& x);
  Number sum_of_hidden(const std::vector<Number>& terms);
  Number greatest_of_set(HiddenSet set);
  Number multiple_of_hidden(const Number& x, const Rational& by);
  bool same_hidden(const Number& a, const Number& b) const;
  Number kept_positive_part(const Residues& flag, const Number& value);

  Number log_form(const Residues& ordinary_part, std::vector<LogTerm> terms);
  Residues log_value(const LogTerm& term);
  // exp(times * (ordinary + logs)), where all coefficients times `times` are integers.
  uint64_t exponential_of(const Residues& ordinary_part, const std::vector<LogTerm>& terms,
                          PlainInt times) const;
  Number root_form(RootForm form);
  void take_first_base(RootPower& power);
  Number product_of_roots(const Number& a, const Number& b);
  std::optional<Number> root_of_multiple(const Number& x, const Rational& exponent);
  using RootedProduct = KnownRoots::Product;
  const RootedProduct& product_of_rooted(const Number& x);
  std::optional<Number> root_of_product(const Number& x, PlainInt numerator, PlainInt denominator);
  Number root_of_fraction(const Rational& value, PlainInt numerator, PlainInt degree);
  Residues root_value(const Residues& base, const Rational& exponent) const;

  // -- words (powers/words.cpp) --
  void note_nonnegative(const Number& x);
  // Of a number that is not negative. `depth`: of how many numbers it is a part.
  const Word& spell(const Residues& x, int depth);
  std::optional<Word> plain_word(uint64_t r);
  std::optional<Word> word_by_quotient(uint64_t r, int depth);
  void note_positive(const Number& sum, const std::vector<Number>& terms);
  std::optional<Word> word_by_terms(uint64_t r);

  const Selection* selection_of(const Number& x) const;
  std::optional<std::vector<Residues>> parts_of_extreme(const Number& x) const;
  // Two real numbers, one of them the extreme of several, that compare as these do, with maxima in
  // place of minima: -min(x) is one.
  std::optional<std::pair<Number, Number>> as_maxima(const Number& a, const Number& b);
  // Of real numbers that are the greatest of several: whether the greatest of all is among those of
  // `a` and, where `strictly`, none of b's is equal to it.
  std::optional<Number> extreme_is_greater(const Number& a, const Number& b);
  std::optional<Number> extreme_is_equal(const Number& a, const Number& b);
  std::optional<Number> by_two_rankings(const Selection& a, const Selection& b, Type type,
                                        const OfMembers& function);
  Number selected(Selection selection, Type type);
  // conditionals.cpp
  bool is_conditional(const Number& x) const;
  size_t branches_of(const Number& x, size_t depth = 0) const;
  bool few_branches(std::span<const Number> of) const;
  Ranking ranking_of_flag(const Residues& flag);
  std::optional<std::vector<Number>> values_by_flag(const Number& x, const Ranking& ranking);
  Number selected_by_flag(const Ranking& ranking, const std::vector<Number>& values, Type type);
  // rows_of_multiples.cpp
  Rational multiple_of_row(const std::vector<Residues>& parts);
  Number selected_of_multiple(Selection selection, Type type);
  Number ranked_number(PlainInt place, const std::vector<Number>& row);
  Marks marks_of(const Ranking& ranking);
  std::vector<Residues> indicators_of(const Ranking& ranking, const std::vector<Number>& members);
  std::optional<std::vector<Number>> members_as_values(const Number& x, const Ranking& ranking);
  std::optional<std::vector<Number>> members_alike(const Number& x, const Ranking& ranking);
  std::optional<Number> selection_within(const Number& outer, const Number& inner, Type type);
  std::optional<Number> product_of_selections(const Number& a, const Number& b, Type type);
  // gathered_rows.cpp
  void note_standing(const Number& x, PlainInt place, const std::vector<Number>& row);
  std::optional<Standing> standing_of(const Residues& x) const;
  enum class ShareOf { kNothing, kMembers, kOneNumber, kSelections };  // what its values are
  ShareOf append_share(const std::vector<Residues>& row, std::span<const Residues> shares,
                       std::span<const Number> values, Selection& whole) const;
  std::optional<Selection> of_whole_row(const Selection& selection) const;
  std::optional<Number> selection_of_gathered(const Number& outer, const Number& inner, Type type);

  // places.cpp
  MemberPlaces& places_of(const Ranking& row, size_t member);
  const MemberPlaces* placed_by(const Selection& selection) const;
  std::optional<std::pair<const MemberPlaces*, std::vector<Number>>> by_places(const Number& x);
  std::optional<Number> place_by_place(std::span<const Number> of, Type type,
                                       const OfMembers& function);
  std::optional<Number> exp_by_places(const Number& x);
  std::optional<Number> exponential_by_places(const Number& a, const Number& b, Type type);
  std::optional<Number> greatest_of_placed(const std::vector<Number>& of);
  void leave_out_later_places(ElementSet& elements) const;

  // inverse_rankings.cpp
  bool numbers_members(const std::vector<Number>& row) const;
  std::optional<Number> is_place(const Number& index, PlainInt place);

  friend class RowInOrder;  // selections/alike_in_order.cpp
  Number extreme(ElementSet elements, const std::vector<Number>& of);
  void write_out_magnitudes(ElementSet& elements) const;
  std::optional<Number> extreme_of_monotone(const std::vector<Number>& of, bool least);
  std::optional<Number> extreme_of_exponentials(const std::vector<Number>& of, bool least);
  std::optional<Number> extreme_of_square_roots(const std::vector<Number>& of, bool least);
  std::optional<Number> extreme_of_reciprocals(const ElementSet& elements);
  Number integer_extreme(const std::vector<Number>& of, bool least, Type type);
  Number positive(const Number& difference);
  bool is_positive_multiple(uint64_t x, uint64_t y) const;
  Number equal_integers(const Number& a, const Number& b);
  // Of an integer and a constant, where it is compared with others, too (integer_classes.cpp).
  std::optional<Number> compared_by_class(const Number& a, const Number& b, bool greater);
  std::optional<Number> equal_to_row(const Number& index, const Number& row);

  Reading reading_;
  RandomFunction random_;
  Circle circle_{random_};
  uint64_t generator_;  // of order q
  Residues root_two_, root_pi_;
  std::set<std::string>& notes_;
  size_t stored_ = 0, compared_exponentials_ = 0, nested_members_ = 0;
  std::unordered_map<uint64_t, Multiple> multiples_;  // by constants, by r
  std::deque<Rational> rationals_;
  std::deque<LogForm> logs_;
  std::deque<RootForm> roots_;
  std::deque<ExtremeForm> extremes_;
  std::deque<KeptForm> kept_;
  std::deque<HiddenForm> hidden_;
  std::unordered_map<uint64_t, GreatestOfSet> hidden_sets_;  // by r of the greatest
  std::deque<ElementSet> sets_;
  std::unordered_map<uint64_t, Selection> selections_;  // by r
  std::unordered_map<uint64_t, Standing> standings_;    // by r
  Places places_;
  // Whether a member stands at each place, by r of the place where it stands.
  std::unordered_map<uint64_t, std::vector<Number>> stands_;
  std::set<uint64_t> positive_sums_;                   // by r
  std::unordered_map<uint64_t, Number> reciprocals_;   // by r: of what is not negative
  std::unordered_map<uint64_t, Number> exponentials_;  // by r of the argument
  std::unordered_map<uint64_t, Number> exponents_;     // arguments, by r of the exponential
  SharedFactors shared_;
  std::set<std::pair<Type, uint64_t>> compared_;  // indices without a known table
  bool learned_late_ = false;
  std::map<std::pair<Type, uint64_t>, Table> tables_;  // by index
  std::map<std::pair<Type, uint64_t>, ComparedInteger> integers_compared_;
  std::unordered_map<uint64_t, Number> asked_signs_, asked_zeros_;  // by r
  std::unordered_map<uint64_t, Ranking> flag_rankings_;             // by r
  std::unordered_map<uint64_t, Residues> magnitudes_;               // by r: what they are of
  std::unordered_map<uint64_t, Number> asked_rows_;  // by r: what rows are told apart by
  std::unordered_map<uint64_t, Number> positives_;   // d of flags "d > 0", by r
  std::unordered_map<uint64_t, int32_t> constants_;  // of rationals, by r
  KnownRoots known_roots_;
  Spelling spelling_;
  Scales scales_;
  std::unordered_map<uint64_t, Residues> formal_logs_;                       // by r
  std::unordered_map<uint64_t, std::pair<LogTerm, LogTerm>> factors_;        // of products, by r
  std::unordered_map<uint64_t, std::pair<Number, Number>> made_of_factors_;  // in a case, by base
  std::unordered_map<uint64_t, std::vector<std::pair<uint64_t, Rational>>> two_terms_;  // by base
  int sign_depth_ = 0;  // of sums by factors
};

}  // namespace assay::checker::identity
