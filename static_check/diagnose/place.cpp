#include "static_check/diagnose/place.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"

namespace assay {
namespace {

bool repeats(const Modes& modes) {
  return !modes.empty() &&
         std::all_of(modes.begin(), modes.end(), [](const Mode& mode) { return mode.stride == 0; });
}

// The coordinate with that address, digit by digit from the largest stride on.
std::optional<std::vector<Int>> coordinate_of(const Layout& layout, Int address) {
  struct OuterDigit {
    Mode mode;
    size_t dim;
    Int step;  // of the dimension's coordinate
  };
  std::vector<OuterDigit> digits;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    Int step = 1;
    for (size_t m = layout.dims[d].size(); m-- > 0; step *= layout.dims[d][m].size)
      if (layout.dims[d][m].stride > 0) digits.push_back({layout.dims[d][m], d, step});
  }
  std::stable_sort(digits.begin(), digits.end(), [](const OuterDigit& a, const OuterDigit& b) {
    return a.mode.stride > b.mode.stride;
  });
  std::vector<Int> coordinate(layout.dims.size(), 0);
  Int rest = address - layout.offset;
  for (const OuterDigit& digit : digits) {
    const Int value = std::min(digit.mode.size - 1, rest / digit.mode.stride);
    if (value <= 0) continue;
    rest -= value * digit.mode.stride;
    coordinate[digit.dim] += value * digit.step;
  }
  if (rest != 0) return std::nullopt;
  return coordinate;
}

}  // namespace

std::optional<Place> place_of(const Layout& whole, const Layout& part) {
  if (whole.dims.size() != part.dims.size() || part.offset < whole.offset) return std::nullopt;
  const auto start = coordinate_of(whole, part.offset);
  if (!start) return std::nullopt;
  Place place;
  for (size_t d = 0; d < whole.dims.size(); ++d) {
    const Int count = extent(part.dims[d]);
    if (repeats(whole.dims[d])) {
      if (count > 1 && !repeats(part.dims[d])) return std::nullopt;
      place.emplace_back(std::nullopt);
      continue;
    }
    if ((*start)[d] + count > extent(whole.dims[d])) return std::nullopt;
    if (!slice_cuts(whole.dims[d], (*start)[d], count).empty()) return std::nullopt;
    Layout box = whole;
    slice(box, static_cast<Int>(d), (*start)[d], count);
    if (!(box.dims[d] == part.dims[d])) return std::nullopt;
    place.emplace_back((*start)[d]);
  }
  return place;
}

std::string coordinates_in_words(const Interval& range, size_t dim, size_t dims) {
  const std::string text = range.hi - range.lo == 1
                               ? decimal(range.lo)
                               : decimal(range.lo) + ".." + decimal(range.hi - 1);
  const std::string plural = range.hi - range.lo == 1 ? " " : "s ";
  if (dims == 1) return "element" + plural + text;
  if (dim == 0) return "row" + plural + text;
  if (dim + 1 == dims) return "column" + plural + text;
  return text + " of dimension " + std::to_string(dim);
}

std::string place_in_words(const Place& place, const Shape& shape, const Shape& whole) {
  std::string text;
  for (size_t d = 0; d < place.size(); ++d) {
    if (!place[d] || shape[d] == whole[d]) continue;
    text += (text.empty() ? "" : ", ") +
            coordinates_in_words({*place[d], *place[d] + shape[d]}, d, place.size());
  }
  return text.empty() ? "all" : text;
}

}  // namespace assay
