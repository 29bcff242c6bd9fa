#include "tests/declarations/call_pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "shared_ir/cast.h"
#include "shared_ir/memory/layout.h"

namespace assay::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kArrow = "=>";

template <typename T>
Arg arg_of(T value) {
  Arg arg;
  arg.value = std::move(value);
  return arg;
}

class Drawing {
 public:
  Drawing(const std::string& op, std::string_view pattern, uint64_t seed)
      : op_(op), text_(pattern), random_(seed) {
    std::shuffle(sizes_.begin(), sizes_.end(), random_);
  }

  DrawnCall run() {
    Node& node = result_.graph.nodes.emplace_back();
    node.op = op_;
    arguments(node);
    result_.kernel = node;
    if (accept(kArrow)) {
      outer_ = node.args;
      result_.kernel = Node{};
      skip_space();
      const size_t colon = std::min(text_.find(':', at_), text_.size());
      result_.kernel.op = text_.substr(at_, colon - at_);
      at_ = colon;
      expect(":");
      arguments(result_.kernel);
    }
    if (at_ != text_.size()) fail("expected the end");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError({}, op_ + ": " + message + " at column " + std::to_string(at_ + 1) + " of '" +
                            std::string(text_) + "'");
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool accept(std::string_view mark) {
    skip_space();
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }

  void expect(std::string_view mark) {
    if (!accept(mark)) fail("expected '" + std::string(mark) + "'");
  }

  std::string_view word() {
    skip_space();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  void arguments(Node& node) {
    skip_space();
    if (at_ == text_.size() || text_.substr(at_).starts_with(kArrow)) return;
    do {
      const size_t start = at_;
      const std::string_view name = word();
      if (!name.empty() && text_.substr(at_).starts_with("=") &&
          !text_.substr(at_).starts_with(kArrow)) {
        ++at_;
        node.kwargs.emplace_back(name, argument());
      } else {
        at_ = start;
        node.args.push_back(argument());
      }
    } while (accept(","));
  }

  Arg argument() {
    skip_space();
    if (accept("[")) return list();
    if (accept("\"")) return quoted();
    if (accept("$")) return outer_argument();
    const size_t start = at_;
    const bool negative = accept("-");
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
      return number(start);
    const std::string_view name = word();
    if (name == "inf") return arg_of(negative ? -kInfinity : kInfinity);
    if (name == "nan") return arg_of(kNan);
    if (name == "none") return Arg{};
    if (name == "true" || name == "false") return arg_of(name == "true");
    if (text_.substr(at_).starts_with("[")) return tensor(name);
    if (const auto dtype = parse_dtype(name)) return arg_of(*dtype);
    at_ = start;
    return arg_of(size());
  }

  Arg list() {
    ArgList elements;
    if (!accept("]")) {
      do elements.push_back(argument());
      while (accept(","));
      expect("]");
    }
    return arg_of(std::move(elements));
  }

  Arg quoted() {
    const size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) fail("expected '\"'");
    const std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    return arg_of(text);
  }

  Arg outer_argument() {
    const ArgList* list = &outer_;
    while (true) {
      size_t i = 0;
      for (const char digit : word()) i = 10 * i + static_cast<size_t>(digit - '0');
      if (!list || i >= list->size()) fail("there is no such argument");
      const Arg& found = (*list)[i];
      if (!accept(".")) return found;
      list = std::get_if<ArgList>(&found.value);
    }
  }

  // A size, unless it has a fraction or an exponent.
  Arg number(size_t start) {
    const size_t end = std::min(text_.find_first_not_of("-+.0123456789e", start), text_.size());
    const std::string_view digits = text_.substr(start, end - start);
    at_ = start;
    if (digits.find_first_of(".e") == std::string_view::npos) return arg_of(size());
    double value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc()) fail("expected a number");
    at_ += static_cast<size_t>(stop - digits.data());
    return arg_of(value);
  }

  int64_t size() {
    int64_t value = accept("-") ? -term() : term();
    while (true) {
      if (accept("*")) {
        value *= term();
      } else if (accept("+")) {
        value += term();
      } else if (accept("-")) {
        value -= term();
      } else {
        return value;
      }
    }
  }

  int64_t term() {
    const std::string_view name = word();
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (error == std::errc() && stop == name.data() + name.size()) return value;
    if (name.size() != 1) fail("expected a number or a letter");
    const auto [letter, fresh] = letters_.emplace(name[0], 0);
    if (fresh) letter->second = sizes_[(letters_.size() - 1) % sizes_.size()];
    return letter->second;
  }

  Arg tensor(std::string_view dtype_name) {
    const std::map<std::string_view, DType> short_names = {
        {"f", DType::kFloat32}, {"i", DType::kInt64}, {"b", DType::kBool}};
    const auto found = short_names.find(dtype_name);
    const auto dtype =
        found == short_names.end() ? parse_dtype(dtype_name) : std::optional(found->second);
    if (!dtype) fail("unknown dtype");
    expect("[");
    Shape shape;
    if (!accept("]")) {
      do shape.push_back(size());
      while (accept(","));
      expect("]");
    }
    const std::string_view kind = accept(":") ? word() : "";
    int64_t bound = 0;
    if (accept("(")) {
      bound = size();
      expect(")");
    }
    Graph& graph = result_.graph;
    const auto id = static_cast<TensorId>(graph.tensors.size());
    graph.tensors.push_back({"in" + std::to_string(id), *dtype, shape});
    graph.tensors.back().strides = memory::row_major(shape).strides;
    graph.inputs.push_back(id);
    result_.values.push_back({shape, elements(*dtype, kind, bound, element_count(shape))});
    return arg_of(TensorArg{id});
  }

  int64_t whole(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  double element(DType dtype, std::string_view kind, int64_t bound) {
    if (kind == "below") return static_cast<double>(whole(0, bound - 1));
    if (kind == "ignored")
      return static_cast<double>(whole(0, 2) == 0 ? -100 : whole(0, bound - 1));
    if (is_bool(dtype)) return static_cast<double>(whole(0, 1));
    if (is_integer(dtype) && kind == "wild" && whole(0, 2) == 0) {
      constexpr int64_t kFarthest = int64_t{1} << 40;  // results are compared as doubles
      const auto [low, high] = integer_range(dtype);
      const int64_t inside = whole(0, 3);
      return static_cast<double>(whole(0, 1) == 0 ? std::max(low, -kFarthest) + inside
                                                  : std::min(high, kFarthest) - inside);
    }
    if (is_integer(dtype))
      return static_cast<double>(whole(kind == "positive" ? 1 : is_unsigned(dtype) ? 0 : -9, 9));
    if (kind.empty()) return std::normal_distribution<>()(random_);
    if (kind == "positive") return std::uniform_real_distribution<>(0.1, 3)(random_);
    if (kind == "unit") return std::uniform_real_distribution<>(0.05, 0.95)(random_);
    const bool wild = kind == "wild";
    if (!wild && kind != "grid") fail("unknown values");
    const int64_t halves = whole(-6, wild ? 12 : 6);
    if (halves <= 6) return static_cast<double>(halves) / 2;
    return halves <= 8 ? kInfinity : halves <= 10 ? -kInfinity : kNan;
  }

  std::vector<double> elements(DType dtype, std::string_view kind, int64_t bound, int64_t count) {
    std::vector<double> values(static_cast<size_t>(count));
    if (kind == "distinct") {
      if (count > bound) fail("more indices than there are");
      values.resize(static_cast<size_t>(bound));
      std::iota(values.begin(), values.end(), 0);
      std::shuffle(values.begin(), values.end(), random_);
      values.resize(static_cast<size_t>(count));
      return values;
    }
    for (double& value : values) value = element(dtype, kind, bound);
    return values;
  }

  const std::string& op_;
  const std::string_view text_;
  size_t at_ = 0;
  std::mt19937_64 random_;
  std::vector<int64_t> sizes_ = {1, 2, 3, 4, 5};
  std::map<char, int64_t> letters_;
  ArgList outer_;  // what $0, $1, ... stand for
  DrawnCall result_;
};

}  // namespace

DrawnCall draw_call(const std::string& op, std::string_view pattern, uint64_t seed) {
  return Drawing(op, pattern, seed).run();
}

}  // namespace assay::test
