// What an index may be: a row of its table, or one of the numbers beside them that lowering names.
#pragma once

#include <set>
#include <vector>

#include "shared_ir/symbolic/integer.h"

namespace assay::checker::identity {

struct Table {
  PlainInt rows = 0;
  std::set<PlainInt> beside;  // no rows

  Table(PlainInt count, const std::vector<PlainInt>& others) : rows(count) {
    for (const PlainInt other : others)
      if (other < 0 || other >= count) beside.insert(other);
  }

  static Table between(PlainInt low, PlainInt high) {
    std::vector<PlainInt> all;
    for (PlainInt index = low; index <= high; ++index) all.push_back(index);
    return {low <= 0 && high >= 0 ? high + 1 : 0, all};
  }

  bool contains(PlainInt index) const {
    return (index >= 0 && index < rows) || beside.contains(index);
  }
  bool contains(const Table& other) const {
    if (other.rows > rows) return false;
    for (const PlainInt index : other.beside)
      if (!contains(index)) return false;
    return true;
  }
  PlainInt size() const { return rows + static_cast<PlainInt>(beside.size()); }
  // One of so many.
  PlainInt index(PlainInt number) const {
    for (const PlainInt each : beside)
      if (number-- == 0) return each;
    return number;
  }

  // What both contain.
  Table common(const Table& other) const {
    std::vector<PlainInt> both;
    for (const PlainInt index : beside)
      if (other.contains(index)) both.push_back(index);
    for (const PlainInt index : other.beside)
      if (contains(index)) both.push_back(index);
    return {rows < other.rows ? rows : other.rows, both};
  }
};

}  // namespace assay::checker::identity
