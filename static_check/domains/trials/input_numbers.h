// Numbers for the inputs of both sides, which satisfy the input relation.
#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <vector>

#include "shared_ir/reference/reference.h"
#include "static_check/lift/lifting.h"

namespace assay {

// One draw of the sequential inputs. What the ranks' inputs are of them, their values say.
class InputNumbers {
 public:
  // Draws have numbers of one sign or of both, small, ordinary and large ones; in later ones each
  // input has a sign of its own, and in the last some numbers are 0. Indices lie in the tables of
  // the specification.
  static constexpr size_t kDraws = 24;
  static constexpr size_t kDrawsWithZeros = 4;  // the last

  // `distinct`: no two integers of an input are equal where its range has as many.
  InputNumbers(const Lifting& lifting, size_t draw, bool distinct = false)
      : lifting_(lifting), draw_(draw), distinct_(distinct) {}

  // Thrown for what is not made of inputs.
  struct Unknown {};

  enum class Signs { kAllPositive, kBoth, kAllNegative, kByInput };

  // The numbers of an input's value.
  ReferenceTensor of(const Value& value);

 private:
  double element(const Term& term, int64_t address);
  const std::vector<double>& numbers(AtomId id);
  double integer(const Intervals& values, Signs own, std::mt19937_64& random) const;
  std::vector<double> distinct_integers(const Intervals& values, int64_t size,
                                        std::mt19937_64& random) const;

  const Lifting& lifting_;
  const size_t draw_;
  const bool distinct_;
  std::map<AtomId, std::vector<double>> numbers_;  // of inputs
};

}  // namespace assay
