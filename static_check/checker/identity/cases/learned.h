// What earlier trials have found that later ones draw by.
#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <utility>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/rational.h"
#include "static_check/checker/identity/cases/table.h"

namespace assay::checker::identity {

struct Element {
  AtomId atom = kNone;
  PlainInt place = 0;
  auto operator<=>(const Element&) const = default;
};

// The sum of coefficients times elements, of none twice, by their order.
using LinearForm = std::vector<std::pair<Element, Rational>>;

// The last element of what was compared is the sum of the others and the constant, where that was a
// tie.
struct Tie {
  LinearForm others;
  Rational constant;
  bool operator==(const Tie&) const = default;
};

// A value for each of some flags and indices, as digits of a number: one case of all.
struct Choice {
  PlainInt value = 0, values = 1;
};
using Choices = std::map<Element, Choice>;

struct Learned {
  Choices choices;        // where all cases are gone through; what is not among them is drawn
  bool collects = false;  // choices, of what is read
  std::map<Element, Table> tables;  // what the element may be, which is an index
  // Where comparisons that ask about a real element, and elements before it, are ties.
  std::map<Element, std::vector<Tie>> ties;
  bool flags = false;    // flags of real numbers were decided: ties matter
  bool changed = false;  // cleared before each trial

  template <class T>
  void add(std::vector<T>& list, const T& value) {
    if (std::find(list.begin(), list.end(), value) != list.end()) return;
    list.push_back(value);
    changed = true;
  }
};

}  // namespace assay::checker::identity
