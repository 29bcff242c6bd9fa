// Which sizes of a case shrink together, and by how much.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// Sizes are known by their value: the same number is the same size everywhere in a case.
class SizeClasses {
 public:
  // `least`: what no size that shrinks gets smaller than. Sizes below `small` stay.
  SizeClasses(int64_t least, int64_t small) : least_(least), small_(small) {}

  void add(int64_t size);
  // The size gets no smaller than this either.
  void keep(int64_t size, int64_t least);
  // Both shrink by the same power.
  void join(int64_t a, int64_t b);
  // The products of both sides stay equal.
  void equate(const Shape& a, const Shape& b);

  // Finds how much each class shrinks: as much as it can, the first in the order of the equations.
  // Throws UserError when no assignment was found within a bounded search.
  void solve();

  // A size that was added or joined; nullopt for other numbers. After solve().
  std::optional<int64_t> shrunk(int64_t size) const;
  bool knows(int64_t size) const { return parent_.contains(size); }
  // The sizes, in ascending order.
  std::vector<int64_t> sizes() const;

 private:
  using Equation = std::map<int64_t, int64_t>;  // class -> how often its power counts

  int64_t root(int64_t size) const;
  int64_t limit(int64_t size) const;
  std::vector<Equation> equations() const;

  int64_t least_;
  int64_t small_;
  std::map<int64_t, int64_t> parent_;
  std::map<int64_t, int64_t> kept_;  // sizes with a least size of their own
  std::vector<std::pair<Shape, Shape>> products_;
  std::map<int64_t, int64_t> power_;  // of each class, by its root
};

}  // namespace assay
