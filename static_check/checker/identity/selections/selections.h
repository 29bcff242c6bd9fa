// What stands at one place of a row of real numbers in descending order, and what belongs to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
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

}  // namespace assay::checker::identity
