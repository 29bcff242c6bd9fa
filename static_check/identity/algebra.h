// Numbers of the identity test and what is computed with them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "static_check/identity/angles.h"
#include "static_check/identity/cases/cases.h"
#include "static_check/identity/choices/order.h"
#include "static_check/identity/factors/factors.h"
#include "static_check/identity/factors/multiples.h"
#include "static_check/identity/factors/positive_factors.h"
#include "static_check/identity/field.h"
#include "static_check/identity/number.h"
#include "static_check/identity/residue.h"

namespace assay::identity {

// All functions take and give numbers that stand for real numbers; where a number would be none
// (1/0, log 0) the result is undefined, and where one has no residue they throw NotRepresented. A
// function takes it that its argument lies in its domain (x / x = 1, sqrt(v)^2 = v,
// log a + log b = log(a b)): the caller lists that as an assumption.
class Algebra {
 public:
  // `cases`: what is not continuous is decided by these; nullptr: it is a function of its own.
  // `decide_sets`: extrema of three and more are too. They must outlive this.
  // `factored`: logarithms of one number at a time, where they are factors, are sums of those of
  // its factors; otherwise a sum of logarithms is one of the product.
  explicit Algebra(uint64_t seed, Cases* cases = nullptr, bool decide_sets = false,
                   bool factored = true)
      : seed_(seed), cases_(cases), decide_sets_(decide_sets), factored_(factored) {}

  Cases* cases() const { return cases_; }
  bool decides_sets() const { return decide_sets_; }
  // By cases: -1, 0 or 1. Of what is finite.
  int sign(const Number& a, Cases::Use use);
  // The number, which is known to have that sign (signed_arithmetic.cpp).
  Number signed_as(Number number, Sign sign);

  Number constant(const Rational& value);
  static Number infinity(bool negative);
  static Number undefined();
  // A random function of the keys, no two names alike: equal to itself alone.
  Number random(std::string_view name, std::span<const uint64_t> keys) const;
  // The same of numbers; undefined where one of them is.
  Number unknown(std::string_view name, std::span<const Number> arguments);
  Number random_flag(std::string_view name, std::span<const uint64_t> keys);

  // The constant with that value, where it is one of the programs.
  const Rational* constant_with(uint64_t value) const;
  // The positive constant with that value, or the square of one.
  std::optional<Rational> scale_with(uint64_t value) const;
  const Scales& scales() const { return scales_; }

  // The value that numbers are told apart by; equal numbers have equal ones. kinds other than
  // finite ones have values of their own.
  uint64_t key(const Number& number);
  // As one without logarithms, whose residue is its own.
  Number settled(const Number& number);
  bool equal(const Number& a, const Number& b);

  const Rational* constant_of(const Number& number) const;
  bool is_zero(const Number& number) const;

  Number add(const Number& a, const Number& b);  // signed_arithmetic.cpp
  Number subtract(const Number& a, const Number& b) { return add(a, negative(b)); }
  Number negative(const Number& a) { return scaled(a, -1); }
  Number scaled(const Number& a, const Rational& by);
  Number multiply(const Number& a, const Number& b);
  Number reciprocal(const Number& a);
  // a^exponent.
  Number power(const Number& a, const Rational& exponent);
  Number exponential(const Number& a);
  Number logarithm(const Number& a);
  Number cosine(const Number& a);
  Number sine(const Number& a);

  // |x|, without cases.
  Number magnitude(const Number& x);
  // Of one or more.
  Number maximum(std::span<const Number> of);  // signed_arithmetic.cpp
  Number maximum(const Number& a, const Number& b) { return maximum(std::vector{a, b}); }
  // Of flags, as integers too; nullopt of other numbers.
  std::optional<Number> greatest_flag(std::span<const Number> of);
  // The same, as what stays a function of all of them by cases too.
  Number maximum_as_set(std::span<const Number> of);
  Number minimum(const Number& a, const Number& b);

  // Flags: 1 where a > 0 (a = b), else 0.
  Number is_positive(const Number& a);
  Number is_equal(const Number& a, const Number& b);
  // The number, which is known to be 0 or 1, as a flag.
  Number flag_of(const Number& number) const;
  Number negation(const Number& flag);
  Number conjunction(const Number& a, const Number& b);
  bool is_flag(const Number& number) const;
  // flag ? value : 0.
  Number keep(const Number& flag, const Number& value);

  // Numbers with is_hidden(): minus infinity where the flag is set (choices/hidden.cpp). What is
  // not among these functions does not represent them.
  Number hidden(const Number& flag, const Number& value);
  Number exponential_of_hidden(const Number& a);
  Number greatest_with_hidden(std::span<const Number> of);
  Number limited_hidden(const Number& a);

  // Of the values the one whose number is at that place of the row, 0 being the greatest and equal
  // ones in the order of the row (choices.cpp). nullopt where that is not represented.
  std::optional<Number> choice_of(std::span<const Number> row, uint64_t place,
                                  std::span<const Number> values);
  // Of c exp(a), c exp(b), ... for some c > 0: a, b, ..., which have their order.
  std::optional<std::vector<Number>> exponents_of(std::span<const Number> row);
  // Numbers in the order of the row, ties too, from which an increasing function was taken away
  // (choices/alike_in_order.cpp); nullopt where there is none.
  std::optional<std::vector<Number>> alike_in_order(std::span<const Number> row);
  // The extreme one of the numbers, whose order a row has from which they were taken away.
  void note_extreme(const Number& extreme, std::span<const Number> numbers,
                    std::span<const Number> alike);
  // nullopt where they are no exponentials or square roots, one at least, and constants.
  std::optional<Number> extremum_of_monotone(std::span<const Number> of, bool greatest);
  // An integer that is one of these, as the choice by which it is; itself where more is known of
  // it.
  Number choice_of_values(const Number& index, std::span<const int64_t> values);
  // A function of numbers some of which are choices of one row: of what is chosen at each place.
  // nullopt where none is, they are of several rows, or the function gives nullopt.
  using EachChoice = std::function<std::optional<Number>(std::span<const Number>)>;
  std::optional<Number> each_choice(std::span<const Number> of, const EachChoice& function);
  // A function of numbers some of which a flag chooses, of what it chooses of. nullopt where none
  // is, the function gives no number of one, or they would be many.
  std::optional<Number> each_branch(std::span<const Number> of, const EachChoice& function);
  // a > b, or a = b, of extrema of several elements: whether what is greatest of all is among those
  // of a. nullopt where they are none, or have no elements in common where they are to be equal.
  std::optional<Number> compared_sets(const Number& a, const Number& b, bool equal);
  // Whether what stands at places of rows was asked for.
  bool knows_places() const { return !ranked_.empty(); }
  // Whether it is a constant or a choice of such.
  bool chooses_constants(const Number& number) const;

 private:
  // The same without what is known of the result's sign.
  Number sum_with_hidden(const Number& a, const Number& b);
  Number multiple_of_hidden(const Number& a, const Rational& by);
  bool equal_hidden(const Number& a, const Number& b);
  std::optional<std::vector<Number>> exponents_beside_constants(std::span<const Number> row);
  std::optional<std::vector<Number>> logarithms_of_row(std::span<const Number> row);
  std::optional<std::vector<Number>> bases_of_reciprocals(std::span<const Number> row);
  std::optional<std::vector<Number>> exponents_beside_another(std::span<const Number> row);
  std::optional<std::vector<Number>> squares_of_row(std::span<const Number> row);
  // common_factor_of_rows.cpp
  struct AskedRow {
    Residue extent, inverse, factor;
  };
  struct AskedRows {  // of one size
    std::vector<AskedRow> rows;
    std::unordered_set<uint64_t> extents;
    std::unordered_map<uint64_t, size_t> by_shape;  // the extent by the factor; which row
  };
  std::optional<Residue> extent_of(std::span<const Number> row) const;
  Residue factor_of_row(std::span<const Number> row) const;
  std::optional<Residue> times_asked(const AskedRows& asked, const AskedRow& own, bool of_two);
  std::optional<std::vector<Number>> without_common_factor(std::span<const Number> row);
  std::optional<std::vector<Number>> squares_of_roots(std::span<const Number> row);
  Number kept_of_hidden(const Number& flag, const Number& a);
  // Numbers, each by its key and where it is minus infinity.
  using HiddenRow = std::vector<std::pair<uint64_t, Number>>;
  Number greatest_of_row(HiddenRow row);
  // The result of both, which has no form.
  static Number mixed_as(const Number& a, const Number& b, Number result);
  bool is_plain(const Number& a) const;  // signed_arithmetic.cpp
  Number plain_sum(const Number& a, const Number& b);
  Number plain_multiple(const Number& a, const Rational& by);
  Number plain_product(const Number& a, const Number& b);
  Number plain_power(const Number& a, const Rational& exponent);
  Number plain_exponential(const Number& a);
  std::optional<Number> exponential_of_choice(const Number& a);
  Number plain_maximum(std::span<const Number> of);
  Wide hash(std::string_view name, std::span<const uint64_t> keys, uint64_t salt) const;
  Residue random_residue(std::string_view name, std::span<const uint64_t> keys) const;
  Number flagged(Residue residue, const Residue* sign_of, bool negated) const;
  const Rational* known(const Residue& residue) const;
  // nullopt where a coefficient of a logarithm is no short fraction.
  std::optional<int64_t> common_denominator(const Number& number) const;
  Number times_logarithms(const Number& number, const Residue& factor) const;
  bool is_choice_beside_logarithms(const Number& a, const Number& b) const;
  Number add_logarithms(const Number& a, const Number& b);
  // The sum, where the forms of both tell more of it.
  std::optional<Number> joined(const Number& a, const Number& b);
  // exp(multiple * number) modulo p, where the logarithms have integer coefficients then.
  uint64_t exponential_of(const Number& number, int64_t multiple) const;
  // The logarithm of one number, as a number of its own.
  Residue log_of(uint64_t value);
  // factor * base^exponent, which is no integer.
  Number root(const Residue& factor, const Residue& base, const Rational& exponent);
  // factor * the product of powers.
  Number roots(Residue factor, std::vector<std::pair<Residue, Rational>> powers) const;
  // base^exponent, between 0 and 1.
  Residue unit_root(const Residue& base, const Rational& exponent) const;
  bool is_positive_multiple(const Residue& a, const Residue& b) const;
  std::optional<Number> maximum_of_reciprocals(std::span<const Residue> elements,
                                               const Rational* constant);
  Number root_of_constant(const Rational& base, const Rational& exponent);
  Number maximum_of(std::vector<Residue> elements);
  void write_out_magnitudes(std::vector<Residue>& elements, bool beside_constant) const;
  // choices.cpp
  OrderPointer with_flags(Order order);
  Number choice(const OrderPointer& order, std::vector<Number> values);
  Number at_place(const Order& order);  // these by choices/standing.cpp
  Number sorted_at(const Order& order);
  std::vector<Residue> flags_of(const Order& order);
  std::vector<Residue> flags_of_last(const Order& order);
  Residue greatest_of(const Order::Set& set);
  Rational order_scale(const Order::Set& elements);  // orders_of_multiples.cpp
  Order scaled_order(Order order);
  std::optional<Number> multiple_of_chosen(const Order& order, std::span<const Number> values);
  OrderPointer order_of_flag(const Number& flag);  // conditionals.cpp
  std::optional<std::vector<Number>> by_flag(const Number& number, const Order& order);
  Number chosen_by_flag(const OrderPointer& order, std::vector<Number> values);
  std::optional<std::vector<Number>> as_choice(const Number& number, const Order& order);
  std::optional<std::vector<Residue>> members_of(const Order& order, Order::Set elements);
  std::optional<std::vector<Residue>> members_alike(const Order& order, const Number& extreme);
  std::optional<Number> sum_of_choices(const Number& a, const Number& b);
  std::optional<Number> product_of_choices(const Number& a, const Number& b);
  std::optional<Number> nested_product(const Number& outer, const Number& inner);
  std::optional<Number> each_of_both(const Number& a, const Number& b, const EachChoice& function);
  std::optional<Order::Set> elements_of(const Number& number) const;
  // orders_of_parts.cpp
  static constexpr size_t kMostSorted = 64;
  struct Ranked {  // what stands at a place of the sorted elements
    Order::Set of;
    uint64_t place;
  };
  void note_place(const Residue& standing, const Order& order);
  std::optional<Ranked> place_of(const Residue& standing) const;
  void leave_out_later_places(std::vector<Residue>& elements) const;
  enum class OfRow { kNothing, kElements, kNumber, kChoice };  // what is chosen at its places
  OfRow add_elements(const Ranked& row, std::span<const Number> standing,
                     std::span<const Number> values, Order& all, std::vector<Number>& chosen) const;
  std::optional<Number> choice_among_parts(const Order& order, std::span<const Number> values);
  std::optional<Number> product_among_parts(const Number& outer, const Number& inner);
  // places_of_elements.cpp
  struct Places {  // where an element of a row stands
    uint64_t row;
    size_t element;
    std::vector<Order::Set> row_sets;
    OrderPointer order;  // of these places
    // For each: the element less what stands there, and the exponential of that.
    std::vector<std::pair<Residue, Residue>> apart = {};
  };
  struct AtPlace {
    const Places* of;
    std::vector<Number> values;  // what is chosen where the element stands at each place
  };
  uint64_t key_of_row(const Order& order) const;
  const Places& places_of(const Order& of, size_t element);
  const Places* placed_by(const Number& number) const;
  std::optional<AtPlace> at_one_place(const Number& number);
  std::optional<Number> each_place(const Number& a, const Number& b, const EachChoice& function);
  std::optional<Number> exponential_at_places(const Number& a);
  std::optional<Number> product_at_places(const Number& a, const Number& b);
  std::optional<Number> greatest_of_placed(std::span<const Number> of);
  // By cases.
  struct AffineView {
    Residue of;
    Rational scale, offset;
  };
  // cases/common_factors.cpp
  void note_product(const Number& product, const Number& a, const Number& b);
  void note_sum(const Residue& sum, const AffineView& x, const AffineView& y);
  std::vector<std::pair<Number, Number>> factors_of_term(const AffineView& term);
  std::optional<int> sign_by_factor(const Residue& sum, Cases::Use use);
  std::optional<AffineView> affine_view(const Number& number) const;
  Number affine(const AffineView& view);
  std::optional<Number> affine_sum(const Number& a, const Number& b);
  Number greatest_by_cases(std::span<const Number> of);
  bool exceeds(const Number& a, const Number& b);
  // What an exponential is of; nullptr: it is none.
  const Number* argument_of(const Residue& exponential) const;

  const uint64_t seed_;
  Cases* const cases_;
  const bool decide_sets_, factored_;
  Factors factors_{*this};  // of what logarithms are of
  Factors bases_{*this};    // of what roots are of: integer powers alone
  Angles angles_{[this](uint64_t angle) { return random_residue("angle", {&angle, 1}); }};
  std::unordered_map<uint64_t, FormPointer> constants_;                        // by value
  std::unordered_map<uint64_t, std::pair<Number, Number>> products_;           // by cases, by value
  std::unordered_map<uint64_t, std::pair<AffineView, AffineView>> two_terms_;  // of sums, by value
  int nested_signs_ = 0;                                                       // of factors of sums
  std::unordered_map<uint64_t, Number> arguments_;  // by cases: of exponentials, by value
  // Of flags, with the negation and the flag; by value.
  std::unordered_map<uint64_t, std::pair<OrderPointer, std::vector<Number>>> flag_orders_;
  std::unordered_map<uint64_t, Number> known_exponentials_;  // by what they are of
  std::unordered_map<uint64_t, Residue> exponents_;          // of these, by value
  size_t lookups_ = 0;                                       // among these
  std::unordered_map<uint64_t, Residue> magnitudes_;         // by value: what they are of
  // By the greatest of it, beside where all of it is minus infinity.
  std::unordered_map<uint64_t, std::pair<Number, HiddenRow>> hidden_rows_;
  Scales scales_;
  PositiveFactors positive_factors_;
  std::map<size_t, AskedRows> asked_rows_;
  size_t tried_factors_ = 0;
  // By the value of an extreme one of a row: its elements, each with what it is in a row of the
  // same order.
  std::unordered_map<uint64_t, std::vector<std::pair<Residue, Residue>>> alike_rows_;
  Multiples signs_asked_, zeros_asked_, orders_asked_;
  std::unordered_map<uint64_t, Number> reciprocals_;  // by value: of what is not negative
  std::unordered_map<uint64_t, Ranked> ranked_;       // by value
  std::unordered_map<uint64_t, Residue> positive_;    // what logarithms are of, by value
  // By the keys of rows, and elements or places of these.
  std::map<std::pair<uint64_t, size_t>, Places> places_;
  std::map<std::pair<uint64_t, size_t>, std::vector<Residue>> row_flags_;
  std::unordered_map<uint64_t, const Places*> elements_placed_;  // by the place's value
};

}  // namespace assay::identity
