#include "dynamic_check/tolerance/statistics.h"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

// Regularised lower incomplete gamma function P(a, x): the power series where it converges fast,
// else the continued fraction of Q = 1 - P by Lentz's method (Abramowitz and Stegun 6.5.29
// and 6.5.31).
double incomplete_gamma(double a, double x) {
  if (x <= 0) return 0;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  constexpr double kPrecise = 1e-15;
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (double n = a + 1; std::abs(term) > kPrecise * std::abs(sum); ++n) {
      term *= x / n;
      sum += term;
    }
    return scale * sum;
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double fraction = d;
  for (int i = 1; i < 10'000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double step = c * d;
    fraction *= step;
    if (std::abs(step - 1) < kPrecise) break;
  }
  return 1 - scale * fraction;
}

// Probability of at most `events` in `trials`, each of probability p, 0 < p < 1.
double binomial_tail(int64_t events, int64_t trials, double p) {
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (int64_t i = 0; i <= events; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

}  // namespace

double normal_quantile(double p) {
  ASSAY_CHECK(p > 0 && p < 1, "a probability lies between 0 and 1");
  // Newton's method on the distribution function; from 0 it converges for all p that doubles can
  // hold, because the steps are cut to 1. The smaller tail is solved, where erfc keeps its relative
  // precision.
  const double tail = p < 0.5 ? p : 1 - p;
  double x = 0;
  for (int i = 0; i < 200; ++i) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - tail;
    const double slope = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = std::fmin(1, std::fmax(-1, error / slope));
    x -= step;
    if (std::abs(step) < 1e-14) break;
  }
  return p < 0.5 ? x : -x;
}

double chi_square_quantile(double p, int64_t freedom) {
  ASSAY_CHECK(p > 0 && p < 1 && freedom >= 1, "a probability lies between 0 and 1");
  const double half = static_cast<double>(freedom) / 2;
  double low = 0;
  double high = static_cast<double>(freedom) + 100;
  while (incomplete_gamma(half, high / 2) < p) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (incomplete_gamma(half, middle / 2) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double tolerance_factor(int64_t samples, double coverage) {
  ASSAY_CHECK(samples >= 2, "a spread needs two samples");
  // Every operator of a run asks for one of a few.
  thread_local std::map<std::pair<int64_t, double>, double> known;
  const auto [factor, is_new] = known.try_emplace({samples, coverage});
  if (is_new) {
    constexpr double kConfidence = 0.975;
    const double freedom = static_cast<double>(samples - 1);
    factor->second = std::sqrt(freedom / chi_square_quantile(1 - kConfidence, samples - 1)) *
                     normal_quantile((coverage + 1) / 2);
  }
  return factor->second;
}

double binomial_upper_bound(int64_t events, int64_t trials, double confidence) {
  ASSAY_CHECK(trials >= 1 && events >= 0 && events <= trials, "events are among the trials");
  ASSAY_CHECK(confidence > 0 && confidence < 1, "a probability lies between 0 and 1");
  if (events == trials) return 1;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (binomial_tail(events, trials, middle) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

int64_t poisson_quantile(double mean, double chance) {
  ASSAY_CHECK(mean > 0 && chance > 0 && chance < 1, "a probability lies between 0 and 1");
  // P(X > k) for k >= 0 is the regularised incomplete gamma function P(k + 1, mean).
  int64_t quantile = 0;
  while (incomplete_gamma(static_cast<double>(quantile + 1), mean) > chance) ++quantile;
  return quantile;
}

}  // namespace assay
