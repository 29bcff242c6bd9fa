// The distributed tensor that comes closest to a sequential value, and how it differs.
#pragma once

#include <optional>
#include <string>

#include "static_check/cover/cover.h"
#include "static_check/problem/problem.h"

namespace assay {

struct Nearest {
  std::string name;    // NAME@RANK
  SourcePlace source;  // of the distributed operator
  std::string op;      // that operator
  std::string difference;
  std::string hint;
  int closeness = 0;            // larger is closer
  std::optional<Term> partial;  // the part of the sum that it is
};

// Where relations may come from: all tensors of the ranks, and what they give out.
struct CoverIndices {
  const CoverIndex& all;
  const CoverIndex& outputs;

  // A checked output is to be made of outputs.
  const CoverIndex& of(const Problem& problem, TensorId target) const;
};

// nullopt when no candidate shares an atom, an operand or a name with the target.
std::optional<Nearest> nearest(const Problem& problem, TensorId target,
                               const CoverIndices& indices);

// The factor by which `found` is a multiple of `wanted`, names unfolded once; nullopt when it is no
// multiple of it, or not of its shape.
std::optional<Rational> factor_between(const Lifting& lifting, const Value& wanted,
                                       const Value& found);

// a / b; nullopt where it leaves 64 bits.
std::optional<Rational> quotient(const Rational& a, const Rational& b);

// How `found` differs from `wanted`, in words; empty when there is nothing to say.
Nearest compare_values(const Problem& problem, const Value& wanted, const Value& found);

}  // namespace assay
