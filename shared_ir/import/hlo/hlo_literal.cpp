#include "shared_ir/import/hlo/hlo_literal.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "shared_ir/cast.h"

namespace assay::hlo {
namespace {

class LiteralReader {
 public:
  LiteralReader(const Source& source, std::string_view text, const TypedShape& shape)
      : cursor_(source, text), shape_(shape) {}

  Arg run() {
    Arg value = dimension(0);
    if (!cursor_.at_end()) cursor_.fail(misfit());
    return value;
  }

 private:
  std::string misfit() const {
    return fmt::format("the constant does not have shape {}", to_string(shape_));
  }

  Arg dimension(size_t depth) {
    if (depth == shape_.sizes.size()) return number();
    if (!cursor_.accept('{')) cursor_.fail(misfit());
    ArgList list;
    for (int64_t i = 0; i < shape_.sizes[depth]; ++i) {
      if (i > 0 && !cursor_.accept(',')) cursor_.fail(misfit());
      list.push_back(dimension(depth + 1));
    }
    if (!cursor_.accept('}')) cursor_.fail(misfit());
    return {std::move(list)};
  }

  Arg number() {
    if (cursor_.at_end() || cursor_.peek() == '{' || cursor_.peek() == '}') cursor_.fail(misfit());
    const std::string_view text = cursor_.value();
    if (is_bool(shape_.dtype)) {
      if (text == "true" || text == "1") return {true};
      if (text == "false" || text == "0") return {false};
    } else if (is_integer(shape_.dtype)) {
      const auto value = parse<int64_t>(text);
      const auto [low, high] = integer_range(shape_.dtype);
      if (value && low <= *value && *value <= high) return {*value};
    } else if (const auto value = parse<double>(text)) {
      if (shape_.dtype == DType::kFloat64) return {*value};
      const auto narrow = static_cast<double>(static_cast<float>(*value));
      if (std::isfinite(narrow) == std::isfinite(*value)) return {narrow};
    }
    cursor_.source().fail(text, fmt::format("'{}' is no {}", text, to_string(shape_.dtype)));
  }

  template <typename T>
  static std::optional<T> parse(std::string_view text) {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
  }

  Cursor cursor_;
  const TypedShape& shape_;
};

}  // namespace

std::optional<Arg> read_literal(const Source& source, std::string_view text,
                                const TypedShape& shape) {
  if (shape.is_tuple) source.fail(text, "a constant that is a tuple is not supported");
  if (text == "{...}") return std::nullopt;
  return LiteralReader(source, text, shape).run();
}

}  // namespace assay::hlo
