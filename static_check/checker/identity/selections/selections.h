// What stands at one place of a row of real numbers in descending order, and what belongs to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/evaluated_number.h"

namespace assay::checker::identity {

// Of each member what is greatest of it, and the indicator that it is the one.
struct Marks {
  std::vector<Number> greatest;
  std::vector<Residues> indicators;
};

// The members of a row, in the order that equal ones have. A member that is itself the greatest of
// several numbers has several parts, and then the place is the first.
struct Ranking {
  std::vector<std::vector<Residues>> members;  // parts sorted by r
  PlainInt place = 0;                          // 0: the greatest
  Rational times = Rational(1);                // the row has the members times this
  // Or the values of an index, each a member: the one that it is.
  std::optional<Residues> index = std::nullopt;
  bool of_flag = false;                          // the index is a flag
  std::shared_ptr<const Marks> marks = nullptr;  // once they are known; one for each ranking

  bool is_same(const Ranking& other) const { return marks != nullptr && marks == other.marks; }
};

// One number for each member: the one whose member stands at the place.
struct Selection {
  Ranking ranking;
  std::vector<Number> values;
};

// At which places of a row in descending order one of its members may stand.
struct MemberPlaces {
  size_t member = 0;
  std::vector<Residues> row;    // its members, in the order that equal ones have
  std::vector<Residues> apart;  // for each place: the member less what stands there
  Ranking ranking;              // by the place's number
};

struct Places {
  std::map<std::string, std::unordered_map<uint64_t, Number>> of_sums;  // of one number, by its r
  std::map<std::vector<uint64_t>, MemberPlaces> of;                     // by the member and its row
  std::unordered_map<uint64_t, const MemberPlaces*> by_number;          // by the place's r
};

// What a number is: what stands at a place of a row in descending order.
struct Standing {
  std::vector<Residues> row;  // sorted by r
  PlainInt place;
};

// Positive numbers by which others were multiplied, and the rows whose order was asked for
// (shared_factors.cpp).
struct SharedFactors {
  struct Row {
    Residues spread;  // c times as large of c times the row
    Residues factor;  // positive, and c times as large where c is among the factors; or 0
  };
  struct Rows {  // of one length
    std::vector<Row> asked;
    std::unordered_set<uint64_t> spreads;              // by r
    std::unordered_map<uint64_t, size_t> by_quotient;  // which; by the spread / factor
  };

  // Of real numbers, which have no logarithms in them and are no constants.
  void learn_product(const Number& product, const Number& a, const Number& b);
  void learn_multiple(const Number& product, const Number& of, const Rational& by);
  void learn_sum(const Number& sum, const std::vector<Number>& terms);
  // A product of positive numbers of which x is a multiple: 1, of a positive one itself.
  Residues factor_of(const Number& x) const;
  // By which an earlier row is this one, where it is known to be positive. Else the row is one.
  std::optional<Residues> times_earlier(const Row& row, size_t length);
  bool is_positive(uint64_t r) const { return positive.contains(r); }

  std::unordered_map<uint64_t, Residues> factors;  // by r of the multiples
  std::unordered_set<uint64_t> positive;           // factors, by r
  std::map<size_t, Rows> rows;                     // by length
  size_t tried = 0;
  // By the r of the first in order: all, each with what it is in a row of the same order.
  std::unordered_map<uint64_t, std::vector<std::pair<Residues, Residues>>> alike;
};

}  // namespace assay::checker::identity
