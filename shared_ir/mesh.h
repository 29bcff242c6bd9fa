// Ranks, process groups and named mesh axes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared_ir/symbolic/integer.h"

namespace assay {

using Rank = int32_t;

// Group id as the program writes it ("tp:0", "12") -> its ranks, in group order.
using Groups = std::map<std::string, std::vector<Rank>>;

// Named axes and sizes, first axis outermost: {{"dp", 4}, {"tp", 2}} has 8 ranks, rank = dp * 2 +
// tp.
class Mesh {
 public:
  struct Axis {
    std::string name;
    Int size;
  };

  Mesh() = default;
  // Throws UserError if a size is below 1 or a name repeats.
  explicit Mesh(std::vector<Axis> axes);

  const std::vector<Axis>& axes() const { return axes_; }
  Int world_size() const;
  // Throws UserError if there is no such axis.
  Int axis_size(const std::string& axis) const;
  // Coordinate of a rank on an axis, 0 <= coordinate < axis size.
  Int coordinate(Rank rank, const std::string& axis) const;
  // The ranks that differ from `rank` on this axis alone, in order of their coordinate.
  std::vector<Rank> group(Rank rank, const std::string& axis) const;
  // Group names are "AXIS:K", K counting the groups of one axis by their smallest rank ("tp:0",
  // "tp:1").
  std::string group_name(Rank rank, const std::string& axis) const;
  // Every group of every axis.
  Groups groups() const;

 private:
  std::vector<Axis> axes_;
};

}  // namespace assay
