#include "shared_ir/import/hlo/hlo_shape.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::hlo {
namespace {

constexpr std::pair<std::string_view, DType> kElementTypes[] = {
    {"pred", DType::kBool},         {"u8", DType::kUint8},    {"u16", DType::kUint16},
    {"u32", DType::kUint32},        {"s8", DType::kInt8},     {"s16", DType::kInt16},
    {"s32", DType::kInt32},         {"s64", DType::kInt64},   {"f8e4m3fn", DType::kFloat8E4M3},
    {"f8e5m2", DType::kFloat8E5M2}, {"f16", DType::kFloat16}, {"bf16", DType::kBFloat16},
    {"f32", DType::kFloat32},       {"f64", DType::kFloat64},
};

constexpr int kDeepestTuple = 16;
constexpr size_t kMostDimensions = 64;

std::string_view name_of(DType dtype) {
  for (const auto& [name, ours] : kElementTypes)
    if (ours == dtype) return name;
  throw InternalError("an element type without a name in HLO");
}

// What stands behind the colon of a layout, without the number of the memory space, "S(1)".
std::string without_memory_space(std::string_view text) {
  const size_t space = std::min(text.find("S("), text.size());
  const size_t end = std::min(text.find(')', space), text.size());
  std::string rest(text.substr(0, space));
  if (end < text.size()) rest += text.substr(end + 1);
  return rest;
}

// "{1,0}", "{1,0:T(8,128)}": behind the colon stands how memory is tiled.
std::vector<int64_t> read_layout(Cursor& cursor, size_t rank, std::string& tiling) {
  const std::string_view text = cursor.bracketed('{');
  Cursor inside(cursor.source(), text);
  std::vector<int64_t> dims;
  while (!inside.at_end() && inside.peek() != ':') {
    if (!dims.empty()) inside.expect(",", "',' or ':'");
    dims.push_back(inside.integer("a dimension"));
  }
  if (const size_t colon = text.find(':'); colon != std::string_view::npos)
    tiling = without_memory_space(text.substr(colon + 1));
  std::vector<int64_t> sorted = dims, all(rank);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    cursor.source().fail(text, fmt::format("layout {{{}}} does not name each of {} dimensions once",
                                           fmt::join(dims, ","), rank));
  return dims;
}

TypedShape read_array(Cursor& cursor) {
  TypedShape shape;
  const std::string_view start = cursor.here();
  const std::string_view type = cursor.word();
  if (type.empty()) cursor.expect("f32", "a shape");
  const auto* known = std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                                   [&](const auto& row) { return row.first == type; });
  if (known == std::end(kElementTypes))
    cursor.source().fail(start, fmt::format("element type '{}' is not supported", type),
                         "real floating-point, integer (up to u32 and s64) and pred types are");
  shape.dtype = known->second;
  cursor.expect("[", "'['");
  while (!cursor.accept(']')) {
    if (!shape.sizes.empty()) cursor.expect(",", "',' or ']'");
    if (cursor.peek() == '<')
      cursor.fail("this size is dynamic", "compile the module with static shapes");
    if (shape.sizes.size() == kMostDimensions) cursor.fail("a shape of more than 64 dimensions");
    shape.sizes.push_back(cursor.integer("a size"));
  }
  if (!element_count_fits(shape.sizes))
    cursor.source().fail(start, fmt::format("impossible shape {}", to_string(shape)));
  if (cursor.touches('{')) {  // after a space, it opens a computation
    shape.minor_to_major = read_layout(cursor, shape.sizes.size(), shape.tiling);
  } else {
    shape.minor_to_major.resize(shape.sizes.size());
    std::iota(shape.minor_to_major.rbegin(), shape.minor_to_major.rend(), 0);
  }
  return shape;
}

TypedShape read_nested(Cursor& cursor, int depth) {
  if (cursor.peek() != '(') return read_array(cursor);
  if (depth == kDeepestTuple) cursor.fail("tuples are nested too deeply");
  TypedShape tuple;
  tuple.is_tuple = true;
  Cursor inside(cursor.source(), cursor.bracketed('('));
  while (!inside.at_end()) {
    if (!tuple.elements.empty()) inside.expect(",", "',' or ')'");
    tuple.elements.push_back(read_nested(inside, depth + 1));
  }
  return tuple;
}

}  // namespace

bool TypedShape::is_row_major() const {
  return std::is_sorted(minor_to_major.rbegin(), minor_to_major.rend());
}

bool TypedShape::tiled_like(const TypedShape& other) const {
  if (tiling.empty() && other.tiling.empty()) return true;
  const auto rows = [](const TypedShape& shape) {
    return Shape(std::find_if(shape.sizes.begin(), shape.sizes.end(),
                              [](int64_t size) { return size != 1; }),
                 shape.sizes.end());
  };
  const bool same_order = sizes == other.sizes ? minor_to_major == other.minor_to_major
                                               : is_row_major() && other.is_row_major();
  return tiling == other.tiling && same_order && rows(*this) == rows(other);
}

bool TypedShape::same_type(const TypedShape& other) const {
  if (is_tuple != other.is_tuple) return false;
  if (!is_tuple) return dtype == other.dtype && sizes == other.sizes;
  return std::equal(elements.begin(), elements.end(), other.elements.begin(), other.elements.end(),
                    [](const TypedShape& a, const TypedShape& b) { return a.same_type(b); });
}

TypedShape read_shape(Cursor& cursor) { return read_nested(cursor, 0); }

std::string to_string(const TypedShape& shape) {
  if (!shape.is_tuple)
    return fmt::format("{}[{}]", name_of(shape.dtype), fmt::join(shape.sizes, ","));
  std::string text = "(";
  for (const TypedShape& element : shape.elements)
    text += (text.size() > 1 ? ", " : "") + to_string(element);
  return text + ")";
}

}  // namespace assay::hlo
