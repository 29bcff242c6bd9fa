// kBlock by the formulas of shared_ir/reference/block_functions.cpp.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/blocks/matrices.h"
#include "static_check/checker/identity/functions.h"

namespace assay::checker::identity {
namespace {

using Blocks = std::span<const NumberBlock>;
using Row = std::vector<Number>;

struct Context {
  Algebra& a;
  const Use& use;
};

Number mean(Algebra& a, const Row& row) {
  return a.scaled(a.sum(row), Rational(1, static_cast<PlainInt>(row.size())));
}

Row less(Algebra& a, const Row& row, const Number& center) {
  Row result;
  for (const Number& x : row) result.push_back(a.subtract(x, center));
  return result;
}

Row all_times(Algebra& a, const Row& row, const Number& by) {
  Row result;
  for (const Number& x : row) result.push_back(a.multiply(x, by));
  return result;
}

Number mean_product(Algebra& a, const Row& x, const Row& y) {
  Row products;
  for (size_t i = 0; i < x.size(); ++i) products.push_back(a.multiply(x[i], y[i]));
  return mean(a, products);
}

// An epsilon of none is float32's machine epsilon.
Number epsilon(Context& c) {
  const double given = c.use.fn.number(0);
  return c.a.constant(std::isnan(given) ? 0x1p-23 : given);
}

Number inverse_root_mean_square(Context& c, const Row& row) {
  return c.a.root(c.a.add(mean_product(c.a, row, row), epsilon(c)), -1, 2);
}

void safe_softmax(Context& c, Blocks in, Row& out) {
  Row weights;
  bool hidden = true;
  for (const Number& x : in[0].values) {
    hidden = hidden && x.kind == Kind::kMinusInfinity;
    weights.push_back(c.a.exp(x));
  }
  if (hidden)
    std::fill(out.begin(), out.end(), c.a.exact(Rational(0)));
  else
    out = all_times(c.a, weights, c.a.reciprocal(c.a.sum(weights)));
}

void layer_norm_xhat(Context& c, Blocks in, Row& out) {
  const Row centered = less(c.a, in[0].values, mean(c.a, in[0].values));
  out = all_times(c.a, centered, inverse_root_mean_square(c, centered));
}

void layer_norm_mean(Context& c, Blocks in, Row& out) { out[0] = mean(c.a, in[0].values); }

void layer_norm_rstd(Context& c, Blocks in, Row& out) {
  out[0] = inverse_root_mean_square(c, less(c.a, in[0].values, mean(c.a, in[0].values)));
}

void rms_norm_xhat(Context& c, Blocks in, Row& out) {
  out = all_times(c.a, in[0].values, inverse_root_mean_square(c, in[0].values));
}

void rms_norm_rstd(Context& c, Blocks in, Row& out) {
  out[0] = inverse_root_mean_square(c, in[0].values);
}

// scale * (g - mean(g) - normal * mean(g * normal)).
void layer_norm_dx(Context& c, Blocks in, Row& out) {
  const Row& g = in[0].values;
  const Number scale = in[3].values[0];
  const Row normal = all_times(c.a, less(c.a, in[1].values, in[2].values[0]), scale);
  const Number average = mean(c.a, g), along = mean_product(c.a, g, normal);
  for (size_t i = 0; i < g.size(); ++i)
    out[i] = c.a.multiply(
        scale, c.a.sum({g[i], c.a.negated(average), c.a.negated(c.a.multiply(normal[i], along))}));
}

void rms_norm_dx(Context& c, Blocks in, Row& out) {
  const Row& g = in[0].values;
  const Number scale = in[2].values[0];
  const Row normal = all_times(c.a, in[1].values, scale);
  const Number along = mean_product(c.a, g, normal);
  for (size_t i = 0; i < g.size(); ++i)
    out[i] = c.a.multiply(scale, c.a.subtract(g[i], c.a.multiply(normal[i], along)));
}

void cumsum(Context& c, Blocks in, Row& out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = i == 0 ? in[0].values[0] : c.a.add(out[i - 1], in[0].values[i]);
}

void cumprod(Context& c, Blocks in, Row& out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = i == 0 ? in[0].values[0] : c.a.multiply(out[i - 1], in[0].values[i]);
}

void prod(Context& c, Blocks in, Row& out) {
  out[0] = c.a.exact(Rational(1), c.use.type);
  for (const Number& x : in[0].values) out[0] = c.a.multiply(out[0], x);
}

// Which sets the extrema of sets are, these know.
void running_maximum(Context& c, Blocks in, Row& out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = i == 0 ? in[0].values[0] : c.a.maximum({out[i - 1], in[0].values[i]});
}

void running_minimum(Context& c, Blocks in, Row& out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = i == 0 ? in[0].values[0] : c.a.minimum({out[i - 1], in[0].values[i]});
}

void flip(Context&, Blocks in, Row& out) { out.assign(in[0].values.rbegin(), in[0].values.rend()); }

bool real(const Row& row) {
  return !row.empty() && std::all_of(row.begin(), row.end(), [](const Number& x) {
    return x.is_finite() && !is_integer_type(x.type);
  });
}

// Of real numbers: sort(x + t) = sort(x) + t, whatever the order of x.
void sort(Context& c, Blocks in, Row& out) {
  const Row& row = in[0].values;
  const Number center = mean(c.a, row);
  std::vector<uint64_t> keys;
  for (const Number& x : row) keys.push_back((x.value - center.value).r);
  std::sort(keys.begin(), keys.end());
  const bool descending = c.use.fn.text(0) == "true";
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t place = descending ? out.size() - 1 - i : i;
    if (place == 0 || place + 1 == out.size()) {
      out[i] = place == 0 ? c.a.minimum(row) : c.a.maximum(row);
      continue;
    }
    keys.push_back(place);
    out[i] = c.a.variable(center.value + c.a.random("sorted", keys), kReal);
    out[i].depends = c.a.all(row);
    keys.pop_back();
  }
}

// Where the elements are does not change with what is added to all of them.
void places(Context& c, Blocks in, Row& out) {
  const Row& row = in[0].values;
  std::vector<uint64_t> keys;
  for (const Number& x : row) keys.push_back((x.value - row[0].value).r);
  for (size_t i = 0; i < out.size(); ++i) {
    keys.push_back(i);
    out[i] = c.a.variable(c.a.random("places " + c.use.text, keys), c.use.type);
    out[i].depends = c.a.all(row);
    keys.pop_back();
  }
}

// Equal elements stay in their order, as in the ascending one.
std::vector<size_t> descending_order(Context& c, const Row& row, Dependence& depends) {
  std::vector<size_t> order = c.a.order({row.rbegin(), row.rend()}, depends);
  for (size_t& place : order) place = row.size() - 1 - place;
  std::reverse(order.begin(), order.end());
  return order;
}

// The numbers of a row in order, or where they were. False where that is not represented.
bool selected(Context& c, Blocks in, Row& out) {
  const std::string_view name = c.use.fn.name;
  const bool extreme = name == "argmax" || name == "argmin", values = name == "sort";
  const bool ascending = name == "argmin" || (!extreme && c.use.fn.text(0) != "true");
  Row row = in[0].values, of;
  for (size_t i = 0; i < row.size(); ++i) {
    of.push_back(values ? row[i] : c.a.exact(Rational(static_cast<PlainInt>(i)), c.use.type));
    if (is_integer_type(row[i].type)) row[i] = c.a.cast(row[i], kReal);  // of the same order
    if (ascending) row[i] = c.a.negated(row[i]);
  }
  const auto alike = c.a.alike_in_order(row);
  if (alike) row = *alike;
  Row found;
  for (size_t i = 0; i < out.size(); ++i) {
    if (values && alike && i == 0) {
      found.push_back(ascending ? c.a.minimum(in[0].values) : c.a.maximum(in[0].values));
      c.a.learn_extreme(found.back(), in[0].values, row);
      continue;
    }
    const auto one = c.a.select(row, static_cast<PlainInt>(i), of, c.use.type);
    if (!one) return false;
    found.push_back(*one);
  }
  out = std::move(found);
  return true;
}

bool is_running_place(std::string_view name) {
  return name == "cummax_places" || name == "cummin_places";
}

// The last place up to here at which the running extremum stands: from the end, the first.
bool running_places(Context& c, Blocks in, Row& out) {
  Row behind, numbers, found;
  for (size_t i = 0; i < out.size(); ++i) {
    const Number& x = in[0].values[i];
    behind.insert(behind.begin(), c.use.fn.name == "cummin_places" ? c.a.negated(x) : x);
    numbers.insert(numbers.begin(), c.a.exact(Rational(static_cast<PlainInt>(i)), c.use.type));
    const auto place = c.a.select(behind, 0, numbers, c.use.type);
    if (!place) return false;
    found.push_back(*place);
  }
  out = std::move(found);
  return true;
}

void decide_running_places(Context& c, Blocks in, Row& out) {
  Row behind;
  for (size_t i = 0; i < out.size(); ++i) {
    behind.insert(behind.begin(), in[0].values[i]);
    Dependence depends;
    const size_t back = c.a.place_of_extreme(behind, c.use.fn.name == "cummin_places",
                                             Meaning::kComparison, depends);
    out[i] = c.a.exact(Rational(static_cast<PlainInt>(i - back)), c.use.type);
    out[i].depends = c.a.function_of(depends);
  }
}

// The middle one in ascending order, of two the first.
void median(Context& c, Blocks in, Row& out) {
  const std::string ascending = "sort(false)";
  NumberBlock row = in[0];
  block(c.a, {ascending, reference::parse_function_name(ascending), c.use.type}, in.first(1), row);
  out.at(0) = row.values[(row.values.size() - 1) / 2];
}

// In a case the order is known.
void decide_order(Context& c, Blocks in, Row& out) {
  const Row& row = in[0].values;
  const std::string_view name = c.use.fn.name;
  Dependence depends;
  const auto index = [&](size_t place) {
    return c.a.exact(Rational(static_cast<PlainInt>(place)), c.use.type);
  };
  if (name == "argmax" || name == "argmin") {
    out.at(0) = index(c.a.place_of_extreme(row, name == "argmin", Meaning::kComparison, depends));
  } else {
    const bool descending = name != "median" && c.use.fn.text(0) == "true";
    std::vector<size_t> order =
        descending ? descending_order(c, row, depends) : c.a.order(row, depends);
    if (name == "median") order = {order[(row.size() - 1) / 2]};
    if (order.size() != out.size()) throw Rejection{"an order of another length"};
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = name == "argsort" ? index(order[i]) : row[order[i]];
  }
  depends = c.a.function_of(depends);
  for (Number& x : out) x.depends = depends;
}

bool is_decided(const Context& c, Blocks of) {
  const std::string_view name = c.use.fn.name;
  const bool order = name == "sort" || name == "argsort" || name == "argmax" || name == "argmin" ||
                     name == "median";
  if (!order || c.a.cases() == nullptr || of.size() != 1) return false;
  if (!c.a.cases()->sets()) return true;
  // The ascending order of constants is known, with equal ones in theirs.
  const auto constant = [](const Number& x) { return x.is_constant(); };
  return (name == "sort" || name == "argsort") && c.use.fn.text(0) == "false" &&
         std::all_of(of[0].values.begin(), of[0].values.end(), constant);
}

using BlockFormula = void (*)(Context&, Blocks, Row&);

const std::unordered_map<std::string_view, BlockFormula> kRealOnly = {
    {"safe_softmax", safe_softmax},       {"layer_norm.xhat", layer_norm_xhat},
    {"layer_norm.mean", layer_norm_mean}, {"layer_norm.rstd", layer_norm_rstd},
    {"layer_norm.dx", layer_norm_dx},     {"rms_norm.xhat", rms_norm_xhat},
    {"rms_norm.rstd", rms_norm_rstd},     {"rms_norm.dx", rms_norm_dx},
};
// Of integers too.
const std::unordered_map<std::string_view, BlockFormula> kAnyType = {
    {"cumsum", cumsum}, {"cumprod", cumprod},        {"prod", prod},
    {"flip", flip},     {"cummax", running_maximum}, {"cummin", running_minimum}};
const std::unordered_map<std::string_view, BlockFormula> kOrders = {
    {"sort", sort}, {"argsort", places}, {"argmax", places}, {"argmin", places}};

}  // namespace

void unknown_block(Algebra& algebra, const Use& use, std::span<const NumberBlock> of,
                   NumberBlock& out) {
  std::vector<uint64_t> keys{use.type, out.shape.size()};
  const auto add_shape = [&](const Shape& shape) {
    keys.push_back(shape.size());
    for (const PlainInt size : shape) keys.push_back(static_cast<uint64_t>(size));
  };
  add_shape(out.shape);
  bool finite = true;
  Dependence depends;
  for (const NumberBlock& operand : of) {
    add_shape(operand.shape);
    depends = algebra.function_of(algebra.either(depends, algebra.all(operand.values)));
    for (const Number& x : operand.values) {
      finite = finite && x.is_finite();
      keys.push_back(x.type == kUntyped ? kReal : x.type);
      keys.push_back(x.value.r);
    }
  }
  if (!finite && algebra.cases() != nullptr) throw Rejection{"a function of infinity"};
  const Residues all = algebra.random("block " + use.text, keys);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const uint64_t place[] = {all.r, all.e, i};
    out.values[i] = finite ? algebra.variable(algebra.random("element", place), use.type)
                           : Algebra::undefined();
    out.values[i].depends = depends;
  }
}

void block(Algebra& algebra, const Use& use, std::span<const NumberBlock> of, NumberBlock& out) {
  Context context{algebra, use};
  for (const NumberBlock& operand : of)
    if ((operand.values.empty() && use.fn.name != "prod") ||
        std::any_of(operand.values.begin(), operand.values.end(), is_hidden))
      return unknown_block(algebra, use, of, out);
  if (matrix_function(algebra, use, of, out)) return;
  if (is_decided(context, of)) return decide_order(context, of, out.values);
  if ((use.fn.name == "sort" || use.fn.name == "argsort") && use.fn.text(0) == "false")
    if (auto places = algebra.places_of_members(of[0].values)) {
      if (use.fn.name == "sort")
        for (size_t i = 0; i < places->size(); ++i)
          (*places)[i] = algebra.exact(Rational(static_cast<PlainInt>(i)), use.type);
      out.values = std::move(*places);
      return;
    }
  if (use.fn.name == "median" && of.size() == 1) return median(context, of, out.values);
  if (is_running_place(use.fn.name) && real(of[0].values)) {
    const bool decided = algebra.cases() != nullptr && !algebra.cases()->sets();
    if (decided) return decide_running_places(context, of, out.values);
    if (running_places(context, of, out.values)) return;
  }
  const auto any = kAnyType.find(use.fn.name);
  if (any != kAnyType.end()) {
    const bool same_type =
        std::all_of(of[0].values.begin(), of[0].values.end(),
                    [&](const Number& x) { return !x.is_finite() || x.type == use.type; });
    if (same_type && (use.type != kFlag || use.fn.name == "flip"))
      return any->second(context, of, out.values);
  }
  const bool reals = std::all_of(of.begin(), of.end(), [](const NumberBlock& operand) {
    return std::none_of(operand.values.begin(), operand.values.end(),
                        [](const Number& x) { return is_integer_type(x.type); });
  });
  if (reals && use.type == kReal)
    if (const auto found = kRealOnly.find(use.fn.name); found != kRealOnly.end())
      return found->second(context, of, out.values);
  if (const auto found = kOrders.find(use.fn.name); found != kOrders.end() && real(of[0].values) &&
                                                    (found->second != sort || use.type == kReal)) {
    if (selected(context, of, out.values)) return;
    return found->second(context, of, out.values);
  }
  const auto integer = [](const Number& x) { return x.is_finite() && is_integer_type(x.type); };
  const bool places =
      use.fn.name == "argsort" || use.fn.name == "argmax" || use.fn.name == "argmin";
  if (places && std::all_of(of[0].values.begin(), of[0].values.end(), integer) &&
      selected(context, of, out.values))
    return;
  unknown_block(algebra, use, of, out);
}

}  // namespace assay::checker::identity
