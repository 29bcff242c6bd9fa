#include "shared_ir/mesh.h"

#include <limits>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

size_t find_axis(const std::vector<Mesh::Axis>& axes, const std::string& name) {
  std::string known;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name == name) return i;
    known += (i ? ", " : "") + axes[i].name;
  }
  throw UserError(
      {}, "the mesh has no axis '" + name + "'",
      axes.empty() ? "the mesh is empty: the program runs on one rank" : "its axes are " + known);
}

// Product of the sizes of the axes after `index`: how far apart neighbours on that axis are.
Int stride_of(const std::vector<Mesh::Axis>& axes, size_t index) {
  Int stride = 1;
  for (size_t i = index + 1; i < axes.size(); ++i) stride *= axes[i].size;
  return stride;
}

}  // namespace

Mesh::Mesh(std::vector<Axis> axes) : axes_(std::move(axes)) {
  Int ranks = 1;
  for (size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    if (axis.size < 1) {
      throw UserError({}, "mesh axis '" + axis.name + "' has size " + decimal(axis.size),
                      "an axis has at least one rank");
    }
    for (size_t j = 0; j < i; ++j) {
      if (axes_[j].name == axis.name) {
        throw UserError({}, "mesh axis '" + axis.name + "' is given twice");
      }
    }
    if (axis.size > std::numeric_limits<Rank>::max() / ranks) {
      throw UserError({}, "the mesh has more than 2^31 - 1 ranks");
    }
    ranks *= axis.size;
  }
}

Int Mesh::world_size() const {
  Int size = 1;
  for (const Axis& axis : axes_) size *= axis.size;
  return size;
}

Int Mesh::axis_size(const std::string& axis) const { return axes_[find_axis(axes_, axis)].size; }

Int Mesh::coordinate(Rank rank, const std::string& axis) const {
  const size_t index = find_axis(axes_, axis);
  return rank / stride_of(axes_, index) % axes_[index].size;
}

std::vector<Rank> Mesh::group(Rank rank, const std::string& axis) const {
  const size_t index = find_axis(axes_, axis);
  const Int stride = stride_of(axes_, index);
  const Int first = rank - coordinate(rank, axis) * stride;
  std::vector<Rank> members;
  for (Int i = 0; i < axes_[index].size; ++i) {
    members.push_back(static_cast<Rank>(first + i * stride));
  }
  return members;
}

std::string Mesh::group_name(Rank rank, const std::string& axis) const {
  const size_t index = find_axis(axes_, axis);
  const Int stride = stride_of(axes_, index);
  // Ranks without this axis' digit, which number the groups by their smallest rank.
  const Int outer = rank / (stride * axes_[index].size);
  return axis + ":" + decimal(outer * stride + rank % stride);
}

Groups Mesh::groups() const {
  Groups groups;
  for (const Axis& axis : axes_) {
    for (Rank rank = 0; rank < world_size(); ++rank) {
      groups.try_emplace(group_name(rank, axis.name), group(rank, axis.name));
    }
  }
  return groups;
}

}  // namespace assay
