#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "shared_ir/base/error.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/matrix_functions.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {
namespace {

using Blocks = std::span<const Block>;
using Row = std::vector<double>;

double sum(const Row& row) { return std::accumulate(row.begin(), row.end(), 0.0); }
double mean(const Row& row) { return sum(row) / static_cast<double>(row.size()); }

double log_sum_exp(const Row& row) {
  const auto is_nan = [](double x) { return std::isnan(x); };
  if (const auto nan = std::find_if(row.begin(), row.end(), is_nan); nan != row.end()) return *nan;
  double top = *std::max_element(row.begin(), row.end());
  if (std::isinf(top)) return top;
  double total = 0;
  for (double x : row) total += std::exp(x - top);
  return top + std::log(total);
}

// Softmax that is 0 where all are minus infinity.
void safe_softmax(const FunctionName&, Blocks in, Block& out) {
  const double norm = log_sum_exp(in[0].values);
  const bool hidden = norm == -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < out.values.size(); ++i)
    out.values[i] = hidden ? 0 : std::exp(in[0].values[i] - norm);
}

// An epsilon of none is float32's machine epsilon.
double epsilon(const FunctionName& fn) {
  double eps = fn.number(0);
  return std::isnan(eps) ? std::numeric_limits<float>::epsilon() : eps;
}

double inverse_deviation(const Row& row, double eps) {
  double center = mean(row), squares = 0;
  for (double x : row) squares += (x - center) * (x - center);
  return 1 / std::sqrt(squares / static_cast<double>(row.size()) + eps);
}

double inverse_root_mean_square(const Row& row, double eps) {
  double squares = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  return 1 / std::sqrt(squares / static_cast<double>(row.size()) + eps);
}

void layer_norm_xhat(const FunctionName& fn, Blocks in, Block& out) {
  const Row& x = in[0].values;
  double center = mean(x), scale = inverse_deviation(x, epsilon(fn));
  for (size_t i = 0; i < x.size(); ++i) out.values[i] = (x[i] - center) * scale;
}

void layer_norm_mean(const FunctionName&, Blocks in, Block& out) {
  out.values[0] = mean(in[0].values);
}

void layer_norm_rstd(const FunctionName& fn, Blocks in, Block& out) {
  out.values[0] = inverse_deviation(in[0].values, epsilon(fn));
}

// Operands: gradient times weight, x, mean, rstd. Ba, Kiros, Hinton, "Layer Normalization",
// differentiated: rstd * (g - mean(g) - xhat * mean(g * xhat)).
void layer_norm_dx(const FunctionName&, Blocks in, Block& out) {
  const Row &g = in[0].values, &x = in[1].values;
  double center = in[2].values[0], scale = in[3].values[0], along = 0, average = mean(g);
  auto n = static_cast<double>(x.size());
  for (size_t i = 0; i < x.size(); ++i) along += g[i] * (x[i] - center) * scale / n;
  for (size_t i = 0; i < x.size(); ++i)
    out.values[i] = scale * (g[i] - average - (x[i] - center) * scale * along);
}

void rms_norm_xhat(const FunctionName& fn, Blocks in, Block& out) {
  const Row& x = in[0].values;
  double scale = inverse_root_mean_square(x, epsilon(fn));
  for (size_t i = 0; i < x.size(); ++i) out.values[i] = x[i] * scale;
}

void rms_norm_rstd(const FunctionName& fn, Blocks in, Block& out) {
  out.values[0] = inverse_root_mean_square(in[0].values, epsilon(fn));
}

// Operands: gradient times weight, x, rstd: rstd * (g - xhat * mean(g * xhat)).
void rms_norm_dx(const FunctionName&, Blocks in, Block& out) {
  const Row &g = in[0].values, &x = in[1].values;
  double scale = in[2].values[0], along = 0;
  for (size_t i = 0; i < x.size(); ++i)
    along += g[i] * x[i] * scale / static_cast<double>(x.size());
  for (size_t i = 0; i < x.size(); ++i) out.values[i] = scale * (g[i] - x[i] * scale * along);
}

// The first of the elements that no other exceeds; NaN exceeds all.
double first_place(const Row& x, bool (*exceeds)(double, double)) {
  size_t place = 0;
  for (size_t i = 1; i < x.size() && !std::isnan(x[place]); ++i)
    if (std::isnan(x[i]) || exceeds(x[i], x[place])) place = i;
  return static_cast<double>(place);
}

void argmax(const FunctionName&, Blocks in, Block& out) {
  out.values[0] = first_place(in[0].values, [](double a, double b) { return a > b; });
}

void argmin(const FunctionName&, Blocks in, Block& out) {
  out.values[0] = first_place(in[0].values, [](double a, double b) { return a < b; });
}

void cumsum(const FunctionName&, Blocks in, Block& out) {
  std::partial_sum(in[0].values.begin(), in[0].values.end(), out.values.begin());
}

void cumprod(const FunctionName&, Blocks in, Block& out) {
  const Row& x = in[0].values;
  std::partial_sum(x.begin(), x.end(), out.values.begin(), std::multiplies<>());
}

// The place of the greatest (or least) element up to each one: the last of equal ones; NaN exceeds
// all.
Row running_places(const Row& x, bool (*exceeds)(double, double)) {
  Row places(x.size());
  size_t place = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) || (!std::isnan(x[place]) && exceeds(x[i], x[place]))) place = i;
    places[i] = static_cast<double>(place);
  }
  return places;
}

void cummax_places(const FunctionName&, Blocks in, Block& out) {
  out.values = running_places(in[0].values, [](double a, double b) { return a >= b; });
}

void cummin_places(const FunctionName&, Blocks in, Block& out) {
  out.values = running_places(in[0].values, [](double a, double b) { return a <= b; });
}

void at_places(const Row& x, const Row& places, Row& out) {
  for (size_t i = 0; i < x.size(); ++i) out[i] = x[static_cast<size_t>(places[i])];
}

void cummax(const FunctionName& fn, Blocks in, Block& out) {
  Block places = out;
  cummax_places(fn, in, places);
  at_places(in[0].values, places.values, out.values);
}

void cummin(const FunctionName& fn, Blocks in, Block& out) {
  Block places = out;
  cummin_places(fn, in, places);
  at_places(in[0].values, places.values, out.values);
}

// Operands: elements, flags, a source whose elements are put where there is a flag, in their order.
void masked_scatter(const FunctionName&, Blocks in, Block& out) {
  size_t next = 0;
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    const bool from_source = in[1].values[i] != 0;
    if (from_source && next == in[2].values.size())
      throw NoNumbers("the source has fewer elements than there are flags");
    out.values[i] = from_source ? in[2].values[next++] : in[0].values[i];
  }
}

void prod(const FunctionName&, Blocks in, Block& out) {
  const Row& x = in[0].values;
  out.values[0] = std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>());
}

// All dimensions of a block turned around are its elements in reverse order.
void flip(const FunctionName&, Blocks in, Block& out) {
  out.values.assign(in[0].values.rbegin(), in[0].values.rend());
}

// Where the elements are that come first, second, ...; equal ones in their order, NaN as the
// greatest.
std::vector<size_t> order(const Row& x, bool descending) {
  std::vector<size_t> places(x.size());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto less = [&](size_t a, size_t b) {
    return x[a] < x[b] || (std::isnan(x[b]) && !std::isnan(x[a]));
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return descending ? less(b, a) : less(a, b); });
  return places;
}

// Attribute 0: whether in descending order.
void sort(const FunctionName& fn, Blocks in, Block& out) {
  size_t i = 0;
  for (const size_t place : order(in[0].values, fn.text(0) == "true"))
    out.values[i++] = in[0].values[place];
}

void argsort(const FunctionName& fn, Blocks in, Block& out) {
  size_t i = 0;
  for (const size_t place : order(in[0].values, fn.text(0) == "true"))
    out.values[i++] = static_cast<double>(place);
}

// An order that is not that of the numbers: those that are among the first k, as they stand in the
// row, then the others. Kernels that need not sort give any; only the function itself is this one.
std::vector<size_t> unsorted(const FunctionName& fn, const Row& x) {
  std::vector<size_t> places = order(x, fn.text(1) == "true");
  const auto end = places.begin() + std::stoll(std::string(fn.text(0)));
  std::sort(places.begin(), end);
  std::sort(end, places.end());
  return places;
}

// Attributes: k, and whether the greatest are meant.
void topk(const FunctionName& fn, Blocks in, Block& out) {
  size_t i = 0;
  for (const size_t place : unsorted(fn, in[0].values)) out.values[i++] = in[0].values[place];
}

void topk_places(const FunctionName& fn, Blocks in, Block& out) {
  size_t i = 0;
  for (const size_t place : unsorted(fn, in[0].values))
    out.values[i++] = static_cast<double>(place);
}

// The lower one of two in the middle; NaN where there is one.
void median(const FunctionName&, Blocks in, Block& out) {
  const Row& x = in[0].values;
  const bool unknown = std::any_of(x.begin(), x.end(), [](double e) { return std::isnan(e); });
  const size_t place = unknown ? x.size() - 1 : (x.size() - 1) / 2;
  out.values[0] = x[order(x, false)[place]];
}

// Su et al., "RoFormer". Operands: one head x[d], its position, the table [p, e] of e/2 cosines and
// e/2 sines; the first e elements rotate, in pairs (i, i + e/2) or, interleaved, (2i, 2i + 1).
void rotary(const FunctionName& fn, Blocks in, Block& out) {
  auto width = static_cast<size_t>(in[2].shape[1]), half = width / 2;
  auto row = static_cast<size_t>(in[1].values[0]);
  if (row >= static_cast<size_t>(in[2].shape[0]))
    throw NoNumbers("a position lies outside the table");
  const double* cosines = in[2].values.data() + row * width;
  bool neox = fn.text(0) == "true";
  out.values = in[0].values;
  for (size_t i = 0; i < half; ++i) {
    size_t a = neox ? i : 2 * i, b = neox ? i + half : 2 * i + 1;
    double x = in[0].values[a], y = in[0].values[b], cosine = cosines[i], sine = cosines[half + i];
    out.values[a] = x * cosine - y * sine;
    out.values[b] = y * cosine + x * sine;
  }
}

// The captured operator hides its mask in the serving engine's state; causal attention of one head
// stands for it. Operands: query [t, d], key [s, d], value [s, e].
void attention(const FunctionName&, Blocks in, Block& out) {
  Int queries = in[0].shape[0], keys = in[1].shape[0], width = in[0].shape[1],
      results = in[2].shape[1];
  for (Int t = 0; t < queries; ++t) {
    Row scores;
    for (Int s = 0; s < keys; ++s) {
      double dot = 0;
      for (Int d = 0; d < width; ++d)
        dot += in[0].values[t * width + d] * in[1].values[s * width + d];
      scores.push_back(s - (keys - queries) > t ? -std::numeric_limits<double>::infinity()
                                                : dot / std::sqrt(static_cast<double>(width)));
    }
    double norm = log_sum_exp(scores);
    for (Int e = 0; e < results; ++e) {
      double total = 0;
      for (Int s = 0; s < keys; ++s)
        total += std::exp(scores[s] - norm) * in[2].values[s * results + e];
      out.values[t * results + e] = total;
    }
  }
}

const std::unordered_map<std::string_view, BlockFunction> kBlocks = {
    {"safe_softmax", safe_softmax},
    {"layer_norm.xhat", layer_norm_xhat},
    {"layer_norm.mean", layer_norm_mean},
    {"layer_norm.rstd", layer_norm_rstd},
    {"layer_norm.dx", layer_norm_dx},
    {"rms_norm.xhat", rms_norm_xhat},
    {"rms_norm.rstd", rms_norm_rstd},
    {"rms_norm.dx", rms_norm_dx},
    {"argmax", argmax},
    {"argmin", argmin},
    {"cumsum", cumsum},
    {"cumprod", cumprod},
    {"cummax", cummax},
    {"cummin", cummin},
    {"cummax_places", cummax_places},
    {"cummin_places", cummin_places},
    {"masked_scatter", masked_scatter},
    {"prod", prod},
    {"flip", flip},
    {"sort", sort},
    {"argsort", argsort},
    {"topk", topk},
    {"topk_places", topk_places},
    {"median", median},
    {"rotary", rotary},
    {"attention", attention},
};

}  // namespace

BlockFunction find_block(std::string_view name) {
  auto found = kBlocks.find(name);
  return found == kBlocks.end() ? find_matrix_function(name) : found->second;
}

}  // namespace assay::reference
