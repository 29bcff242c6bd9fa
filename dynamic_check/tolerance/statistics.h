// How many sample deviations a deviation may be, for a stated chance of being wrong about it.
#pragma once

#include <cstdint>

namespace assay {

// Quantile of the standard normal distribution, 0 < p < 1.
double normal_quantile(double p);

// Quantile of the chi-square distribution with `freedom` degrees, 0 < p < 1 (bisection on the
// regularised incomplete gamma function).
double chi_square_quantile(double p, int64_t freedom);

// The multiple of a sample's root mean square that bounds the next deviation with probability
// `coverage`, with 97.5 % confidence that the sample does not underestimate its spread: sqrt((n -
// 1) / chi2_{0.025}(n - 1)) * Phi^-1((coverage + 1) / 2) (Sohier et al., "Confidence intervals for
// stochastic arithmetic", ACM TOMS 2021). n >= 2.
double tolerance_factor(int64_t samples, double coverage);

// The largest chance of an event that still makes `events` or fewer of them in `trials` independent
// trials happen with probability 1 - confidence: the one-sided bound of Clopper and Pearson, "The
// use of confidence or fiducial limits", Biometrika 1934. 0 <= events <= trials, trials >= 1; 1
// where every trial had one.
double binomial_upper_bound(int64_t events, int64_t trials, double confidence);

// The smallest number that a Poisson variable of this mean exceeds with at most this chance. mean
// > 0, 0 < chance < 1.
int64_t poisson_quantile(double mean, double chance);

}  // namespace assay
