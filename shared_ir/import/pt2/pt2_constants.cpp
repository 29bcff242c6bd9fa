#include "shared_ir/import/pt2/pt2_constants.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "shared_ir/base/error.h"
#include "shared_ir/import/pt2/pt2_arg.h"

namespace assay::pt2 {
namespace {

static_assert(std::endian::native == std::endian::little, "as are the archives that are read");

constexpr const char* kTable = "constants/model_constants_config.json";

template <class T>
T raw(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A floating number of fewer than 32 bits. Where `infinities`, the largest exponent is that of
// infinities and NaN; else only all ones are NaN (float8_e4m3fn: OCP 8-bit floating point, 5.3.1).
double small_float(uint32_t bits, int exponent_bits, int fraction_bits, bool infinities) {
  const uint32_t fractions = 1u << fraction_bits, exponents = 1u << exponent_bits;
  const uint32_t fraction = bits % fractions, exponent = bits / fractions % exponents;
  const bool negative = bits / fractions / exponents % 2 != 0;
  const int bias = static_cast<int>(exponents / 2) - 1;
  double value = 0;
  if (exponent == 0) {
    value = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else if (exponent == exponents - 1 && (infinities || fraction == fractions - 1)) {
    value = infinities && fraction == 0 ? std::numeric_limits<double>::infinity()
                                        : std::numeric_limits<double>::quiet_NaN();
  } else {
    value = std::ldexp(fraction + fractions, static_cast<int>(exponent) - bias - fraction_bits);
  }
  return negative ? -value : value;
}

Arg element(const char* from, DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return Arg{*from != 0};
    case DType::kUint8:
      return Arg{PlainInt{raw<uint8_t>(from)}};
    case DType::kUint16:
      return Arg{PlainInt{raw<uint16_t>(from)}};
    case DType::kUint32:
      return Arg{PlainInt{raw<uint32_t>(from)}};
    case DType::kInt8:
      return Arg{PlainInt{raw<int8_t>(from)}};
    case DType::kInt16:
      return Arg{PlainInt{raw<int16_t>(from)}};
    case DType::kInt32:
      return Arg{PlainInt{raw<int32_t>(from)}};
    case DType::kInt64:
      return Arg{raw<PlainInt>(from)};
    case DType::kFloat8E4M3:
      return Arg{small_float(raw<uint8_t>(from), 4, 3, false)};
    case DType::kFloat8E5M2:
      return Arg{small_float(raw<uint8_t>(from), 5, 2, true)};
    case DType::kFloat16:
      return Arg{small_float(raw<uint16_t>(from), 5, 10, true)};
    case DType::kBFloat16:
      return Arg{small_float(raw<uint16_t>(from), 8, 7, true)};
    case DType::kFloat32:
      return Arg{double{raw<float>(from)}};
    case DType::kFloat64:
      return Arg{raw<double>(from)};
  }
  throw InternalError("unknown dtype");
}

// {"as_int": 3}.
std::optional<PlainInt> number_in(const json::Json& json) {
  const auto either = tagged(json);
  if (!either || either->tag != "as_int") return std::nullopt;
  return json::integer_of(either->value);
}

std::optional<std::vector<PlainInt>> numbers_in(const json::JsonObject& in, std::string_view key) {
  const auto list = json::find_array(in, key);
  if (!list) return std::nullopt;
  std::vector<PlainInt> numbers;
  for (const json::Json one : *list) {
    const auto number = number_in(one);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

struct Layout {
  DType dtype = DType::kBool;
  Shape sizes;
  std::vector<PlainInt> strides;
  PlainInt offset = 0;

  // Of a storage of so many bytes.
  bool lies_within(size_t bytes) const {
    PlainInt last = offset;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      PlainInt reach = 0;
      if (strides[dim] < 0 || __builtin_mul_overflow(strides[dim], sizes[dim] - 1, &reach) ||
          __builtin_add_overflow(last, reach, &last)) {
        return false;
      }
    }
    return offset >= 0 && last < static_cast<PlainInt>(bytes / byte_size(dtype));
  }
};

std::optional<Layout> layout_of(const json::JsonObject& meta) {
  const auto scalar_type = json::find(meta, "dtype"), start = json::find(meta, "storage_offset");
  const auto number = scalar_type ? json::integer_of(*scalar_type) : std::nullopt;
  const auto offset = start ? number_in(*start) : std::nullopt;
  const auto type = number ? element_type(*number) : std::nullopt;
  const auto sizes = numbers_in(meta, "sizes"), strides = numbers_in(meta, "strides");
  if (!type || !offset || !sizes || !strides || sizes->size() != strides->size())
    return std::nullopt;
  Layout layout{type->dtype, Shape(sizes->begin(), sizes->end()), *strides, *offset};
  if (!type->is_complex) return layout;
  layout.strides.push_back(layout.offset);
  for (PlainInt& stride : layout.strides)
    if (__builtin_mul_overflow(stride, 2, &stride)) return std::nullopt;
  layout.offset = layout.strides.back();
  layout.strides.pop_back();
  layout.sizes.push_back(2);
  layout.strides.push_back(1);
  return layout;
}

// In nested lists, from this dimension on.
Arg elements(const std::string& bytes, const Layout& layout, size_t dim, PlainInt offset) {
  if (dim == layout.sizes.size()) {
    const auto size = static_cast<PlainInt>(byte_size(layout.dtype));
    return element(bytes.data() + offset * size, layout.dtype);
  }
  ArgList list;
  for (PlainInt i = 0; i < layout.sizes[dim]; ++i)
    list.push_back(elements(bytes, layout, dim + 1, offset + i * layout.strides[dim]));
  return Arg{std::move(list)};
}

}  // namespace

Constants::Constants(Archive& archive, const std::string& file) : archive_(archive), file_(file) {
  auto table = archive_.data(kTable);
  if (!table) return;
  table_ = std::move(*table);
  json::JsonObject root;
  const auto parsed = parser_.parse(table_);
  const auto config =
      parsed.get(root) == simdjson::SUCCESS ? json::find_object(root, "config") : std::nullopt;
  if (!config) throw UserError({file_}, std::string(kTable) + " is no table of constants");
  for (const auto [name, about] : *config) {
    json::JsonObject entry;
    if (about.get(entry) != simdjson::SUCCESS) fail(name, "is no object");
    entries_.emplace(name, entry);
  }
}

std::optional<Arg> Constants::value_of(std::string_view name, const Tensor& tensor) const {
  const auto found = entries_.find(name);
  if (found == entries_.end() || element_count(tensor.shape) > kMostElements) return std::nullopt;
  const json::JsonObject& entry = found->second;
  const auto pickled = json::find(entry, "use_pickle");
  bool is_pickled = true;
  if (!pickled || pickled->get(is_pickled) != simdjson::SUCCESS || is_pickled) return std::nullopt;
  const auto meta = json::find_object(entry, "tensor_meta");
  const auto path = json::find_text(entry, "path_name");
  if (!meta || !path) fail(name, "has no tensor_meta or path_name");
  const auto layout = layout_of(*meta);
  if (!layout) fail(name, "has no sizes, strides or storage_offset");
  if (layout->dtype != tensor.dtype || layout->sizes != tensor.shape)
    fail(name, "has another type or shape than in the program");
  const auto bytes = archive_.data("constants/" + std::string(*path));
  if (!bytes) return std::nullopt;
  if (element_count(tensor.shape) > 0 && !layout->lies_within(bytes->size()))
    fail(name, "lies outside of its data, " + std::string(*path));
  return elements(*bytes, *layout, 0, layout->offset);
}

void Constants::fail(std::string_view name, const std::string& message) const {
  throw UserError({file_}, "constant '" + std::string(name) + "' " + message,
                  "a .pt2 archive is what torch.export.save writes");
}

}  // namespace assay::pt2
