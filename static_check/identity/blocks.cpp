// Functions of blocks by what they are made of: shared_ir/reference/block_functions.cpp over the
// algebra.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include <fmt/format.h>

#include "shared_ir/reference/element_functions.h"
#include "static_check/identity/functions.h"

namespace assay::identity {
namespace {

using NumberBlock = reference::TensorOf<Number>;
using Blocks = const std::vector<NumberBlock>&;
using Row = std::vector<Number>;
using reference::FunctionName;

// Running extrema are of as many elements as there are before each.
constexpr size_t kMostRunning = 256;

// With the numbers of a row.
class Rows {
 public:
  Rows(Algebra& algebra, std::function<Number(double)> numbers)
      : a(algebra), number(std::move(numbers)) {}

  Number sum(const Row& row) {
    Number total = a.constant(0);
    for (const Number& x : row) total = a.add(total, x);
    return total;
  }
  Number mean(const Row& row) { return share(sum(row), row.size()); }
  Number share(const Number& x, size_t parts) {
    return a.scaled(x, Rational(1, static_cast<int64_t>(parts)));
  }
  Row product(const Row& x, const Row& y) {
    Row result;
    for (size_t i = 0; i < x.size(); ++i) result.push_back(a.multiply(x[i], y[i]));
    return result;
  }
  Row times(const Row& x, const Number& y) {
    Row result;
    for (const Number& element : x) result.push_back(a.multiply(element, y));
    return result;
  }
  Row less(const Row& x, const Number& y) {
    Row result;
    for (const Number& element : x) result.push_back(a.subtract(element, y));
    return result;
  }
  // 1 / sqrt(mean of squares + eps).
  Number inverse_root(const Row& row, const FunctionName& fn) {
    const double written = fn.text(0) == "none" ? 0x1p-23 : fn.number(0);
    return a.power(a.add(mean(product(row, row)), number(written)), Rational(-1, 2));
  }
  // A row that is all -infinity has no weights.
  Row safe_softmax(const Row& row) {
    const auto hidden = [](const Number& x) { return x.kind == Number::Kind::kMinusInfinity; };
    if (std::ranges::all_of(row, hidden)) return Row(row.size(), a.constant(0));
    Row weights;
    for (const Number& x : row) weights.push_back(a.exponential(x));
    return times(weights, a.reciprocal(sum(weights)));
  }
  Row running(const Row& row, const std::function<Number(const Number&, const Number&)>& join) {
    Row result;
    for (const Number& x : row) result.push_back(result.empty() ? x : join(result.back(), x));
    return result;
  }
  // g - mean(g) - xhat mean(g xhat), times scale; without the mean for the root mean square.
  Row slope(const Row& g, const Row& centred, const Number& scale, bool mean_too) {
    const Row normal = times(centred, scale);
    const Number along = mean(product(g, normal));
    const Number average = mean_too ? mean(g) : a.constant(0);
    Row result;
    for (size_t i = 0; i < g.size(); ++i)
      result.push_back(
          a.multiply(scale, a.subtract(a.subtract(g[i], average), a.multiply(normal[i], along))));
    return result;
  }

  Algebra& a;
  const std::function<Number(double)> number;
};

using RowFormula = Row (*)(Rows&, const FunctionName&, Blocks);

const std::unordered_map<std::string_view, RowFormula> kOfNumbers = {
    {"safe_softmax",
     [](Rows& r, const FunctionName&, Blocks in) { return r.safe_softmax(in[0].values); }},
    {"layer_norm.xhat",
     [](Rows& r, const FunctionName& fn, Blocks in) {
       const Row centred = r.less(in[0].values, r.mean(in[0].values));
       return r.times(centred, r.inverse_root(centred, fn));
     }},
    {"layer_norm.mean",
     [](Rows& r, const FunctionName&, Blocks in) { return Row{r.mean(in[0].values)}; }},
    {"layer_norm.rstd",
     [](Rows& r, const FunctionName& fn, Blocks in) {
       return Row{r.inverse_root(r.less(in[0].values, r.mean(in[0].values)), fn)};
     }},
    {"layer_norm.dx",
     [](Rows& r, const FunctionName&, Blocks in) {
       return r.slope(in[0].values, r.less(in[1].values, in[2].values[0]), in[3].values[0], true);
     }},
    {"rms_norm.xhat",
     [](Rows& r, const FunctionName& fn, Blocks in) {
       return r.times(in[0].values, r.inverse_root(in[0].values, fn));
     }},
    {"rms_norm.rstd", [](Rows& r, const FunctionName& fn,
                         Blocks in) { return Row{r.inverse_root(in[0].values, fn)}; }},
    {"rms_norm.dx",
     [](Rows& r, const FunctionName&, Blocks in) {
       return r.slope(in[0].values, in[1].values, in[2].values[0], false);
     }},
};

// Of integers too: sums and products wrap alike, and elements that move stay what they are.
const std::unordered_map<std::string_view, RowFormula> kOfAll = {
    {"cumsum",
     [](Rows& r, const FunctionName&, Blocks in) {
       return r.running(in[0].values,
                        [&](const Number& x, const Number& y) { return r.a.add(x, y); });
     }},
    {"cumprod",
     [](Rows& r, const FunctionName&, Blocks in) {
       return r.running(in[0].values,
                        [&](const Number& x, const Number& y) { return r.a.multiply(x, y); });
     }},
    {"prod",
     [](Rows& r, const FunctionName&, Blocks in) {
       Number product = r.a.constant(1);
       for (const Number& x : in[0].values) product = r.a.multiply(product, x);
       return Row{product};
     }},
    {"flip", [](Rows&, const FunctionName&,
                Blocks in) { return Row(in[0].values.rbegin(), in[0].values.rend()); }},
};

}  // namespace

// The elements of a set by their places, whatever order they came in; the first and the last are
// its extrema.
void Functions::sorted(bool descending, const NumberBlock& of, std::vector<uint64_t> keys,
                       NumberBlock& result) {
  std::ranges::sort(keys.begin() + 1, keys.end());
  keys.push_back(0);
  const size_t count = result.values.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t place = descending ? count - 1 - i : i;
    keys.back() = place;
    result.values[i] = place == 0 || place + 1 == count
                           ? extremum(of.values, DType::kFloat32, place != 0)
                           : algebra_.random("sorted", keys);
  }
}

// Equal elements are in the order that the reference's stable sort has; that no others are meant is
// an assumption of sorting.
bool Functions::by_order(const FunctionName& fn, const NumberBlock& of, DType from,
                         NumberBlock& result) {
  static const std::set<std::string_view> kOfOrder{"sort",   "argsort",       "argmax",
                                                   "argmin", "cummax_places", "cummin_places"};
  if (!kOfOrder.contains(fn.name) || is_bool(from)) return false;
  const auto known = [&](const Number& x) { return algebra_.constant_of(x) != nullptr; };
  const bool constant = std::ranges::all_of(of.values, known);
  const bool decided = algebra_.cases() != nullptr && algebra_.decides_sets() && !is_whole(from);
  const auto finite = [](const Number& x) { return x.is_finite(); };
  if (!constant && !(decided && std::ranges::all_of(of.values, finite))) return false;
  // Places of elements among the different ones, by insertion.
  const auto sign = [&](const Number& a, const Number& b) {
    if (!constant) return algebra_.sign(algebra_.subtract(a, b), Cases::Use::kFlag);
    const Rational difference = *algebra_.constant_of(a) - *algebra_.constant_of(b);
    return difference.is_zero() ? 0 : difference.is_positive() ? 1 : -1;
  };
  std::vector<size_t> order;
  for (size_t i = 0; i < of.values.size(); ++i) {
    size_t at = order.size();
    while (at > 0 && sign(of.values[order[at - 1]], of.values[i]) > 0) --at;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), i);
  }
  reference::Block places{of.shape, std::vector<double>(of.values.size())};
  double place = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && sign(of.values[order[i]], of.values[order[i - 1]]) > 0) ++place;
    places.values[order[i]] = place;
  }
  reference::Block found{result.shape, std::vector<double>(result.values.size())};
  reference::find_block(fn.name)(fn, {&places, 1}, found);
  for (size_t i = 0; i < result.values.size(); ++i) {
    if (fn.name != "sort") {
      result.values[i] = algebra_.constant(static_cast<int64_t>(found.values[i]));
      continue;
    }
    const auto of_place = std::ranges::find(places.values, found.values[i]);
    result.values[i] = of.values[static_cast<size_t>(of_place - places.values.begin())];
  }
  return true;
}

// What stands at the places of a sorted row, and where it was. Integers have the order of the real
// numbers that they are.
bool Functions::chosen(const FunctionName& fn, const NumberBlock& of, DType from,
                       NumberBlock& result) {
  if (algebra_.cases() != nullptr || is_bool(from)) return false;  // which the checker decides
  const bool extreme = fn.name == "argmax" || fn.name == "argmin";
  if (!extreme && fn.name != "argsort" && (fn.name != "sort" || !is_floating(from))) return false;
  const bool ascending = fn.name == "argmin" || (!extreme && fn.text(0) != "true");
  std::vector<Number> row = of.values, values;
  if (is_whole(from))
    for (Number& number : row) number = cast(number, from, DType::kFloat64);
  if (ascending)
    for (Number& number : row) number = algebra_.negative(number);
  const auto alike = algebra_.alike_in_order(row);
  if (alike) row = *alike;
  for (size_t i = 0; i < row.size(); ++i)
    values.push_back(fn.name == "sort" ? of.values[i] : algebra_.constant(static_cast<int64_t>(i)));
  std::vector<Number> places;
  for (size_t place = 0; place < result.values.size(); ++place) {
    auto found = algebra_.choice_of(row, place, values);
    if (!found) return false;
    if (fn.name == "sort" && alike && place == 0) {
      found = extremum(of.values, from, !ascending);
      algebra_.note_extreme(*found, of.values, row);
    }
    places.push_back(std::move(*found));
  }
  result.values = std::move(places);
  return true;
}

// The extrema of the elements up to each place; of equal ones the last stands for them.
bool Functions::running(const FunctionName& fn, const NumberBlock& of, DType from,
                        NumberBlock& result) {
  const bool greatest = fn.name.starts_with("cummax");
  if ((!greatest && !fn.name.starts_with("cummin")) || of.values.size() > kMostRunning)
    return false;
  const bool places = fn.name.ends_with("_places");
  if (places && (!is_floating(from) || algebra_.cases() != nullptr)) return false;
  std::vector<Number> found, before, numbers;
  for (const Number& x : of.values) {
    if (!places) {
      before.push_back(x);
      found.push_back(extremum(before, from, greatest));
      continue;
    }
    before.insert(before.begin(), greatest ? x : algebra_.negative(x));
    numbers.insert(numbers.begin(), algebra_.constant(static_cast<int64_t>(found.size())));
    auto place = algebra_.choice_of(before, 0, numbers);
    if (!place) return false;
    found.push_back(std::move(*place));
  }
  result.values = std::move(found);
  return true;
}

void Functions::block(const std::string& fn, const std::vector<NumberBlock>& operands, DType from,
                      DType to, NumberBlock& result) {
  for (const NumberBlock& operand : operands)
    if (std::ranges::any_of(operand.values, is_hidden))
      throw NotRepresented{"an infinity under a condition"};
  const FunctionName name = reference::parse_function_name(fn);
  Rows rows(algebra_, [this](double value) { return number(value); });
  const bool floating = is_floating(from) && is_floating(to);
  if (const auto known = kOfAll.find(name.name); known != kOfAll.end()) {
    result.values = known->second(rows, name, operands);
    return;
  }
  if (const auto known = kOfNumbers.find(name.name); floating && known != kOfNumbers.end()) {
    result.values = known->second(rows, name, operands);
    return;
  }
  if (floating && of_matrix(name, operands, result)) return;
  if (name.name == "median" && operands.size() == 1 && !operands[0].values.empty()) {
    NumberBlock row = operands[0];
    block("sort(false)", operands, from, to, row);
    result.values = {row.values[(row.values.size() - 1) / 2]};
    return;
  }
  if (operands.size() == 1 && by_order(name, operands[0], from, result)) return;
  if (operands.size() == 1 && inverse_order(name, operands[0], from, result)) return;
  if (operands.size() == 1 && running(name, operands[0], from, result)) return;
  if (operands.size() == 1 && chosen(name, operands[0], from, result)) return;
  // Functions of integers know how these wrap.
  const std::string typed =
      floating ? fn : fmt::format("{} {} -> {}", fn, to_string(from), to_string(to));
  std::vector<uint64_t> keys;
  for (const NumberBlock& operand : operands) {
    keys.push_back(operand.values.size());
    for (const Number& number : operand.values) {
      if (number.kind == Number::Kind::kUndefined) {
        result.values.assign(result.values.size(), number);
        return;
      }
      keys.push_back(algebra_.key(number));
    }
  }
  if (floating && name.name == "sort" && !result.values.empty()) {
    sorted(name.text(0) == "true", operands[0], keys, result);
    return;
  }
  keys.push_back(0);
  for (size_t i = 0; i < result.values.size(); ++i) {
    keys.back() = i;
    result.values[i] =
        is_bool(to) ? algebra_.random_flag(typed, keys) : algebra_.random(typed, keys);
  }
}

}  // namespace assay::identity
