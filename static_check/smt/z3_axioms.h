// exp, log, sqrt, sin and cos for z3: each application becomes a real number of its own, and the
// axioms of its function are asserted for the arguments that occur. Nothing else is known of them.
#pragma once

#include <z3++.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "shared_ir/rational.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// A real number, and what it is as a linear combination of others.
struct Linear {
  struct Part {
    z3::expr of;
    Rational times;
  };
  std::map<unsigned, Part> parts;  // by the expression's id
  Rational constant = 0;
};

struct Real {
  z3::expr value;
  Linear linear;
};

// The axioms, by the names that reports give them:
//   exp_positive   exp(a) > 0
//   exp_zero       exp(0) = 1
//   exp_sum        exp(a + b) = exp(a) exp(b)
//   exp_log        a > 0 implies exp(log(a)) = a
//   log_exp        log(exp(a)) = a
//   exp_injective  exp(a) = exp(b) implies a = b
//   sqrt_square    a >= 0 implies sqrt(a) >= 0 and sqrt(a) sqrt(a) = a
//   angle_sum      sin(a + b) and cos(a + b) by sin and cos of a and b; sin(-a), cos(-a); of 0
//   circle         sin(a) sin(a) + cos(a) cos(a) = 1
class Axioms {
 public:
  explicit Axioms(z3::solver& solver) : solver_(solver), context_(solver.ctx()) {}

  Real exp(const Real& x);
  Real log(const Real& x);
  Real sqrt(const Real& x);
  Real sin(const Real& x) { return atomic(angle(x).first); }
  Real cos(const Real& x) { return atomic(angle(x).second); }

  // To be asserted before a difference of the two is looked for: where a logarithm occurs, they are
  // equal when their exponentials are.
  void relate(const Real& left, const Real& right);

  // A number that is a linear combination of itself alone.
  Real atomic(const z3::expr& value) const;

  const std::set<std::string>& used() const { return used_; }

 private:
  z3::expr fresh(const char* name);
  z3::expr number(const Rational& value) const;
  // exp(times * of): one positive unknown for each pair.
  z3::expr unit(const z3::expr& of, const Rational& times);
  z3::expr power(const z3::expr& base, Int exponent) const;
  std::pair<z3::expr, z3::expr> angle(const Real& x);  // sine and cosine

  z3::solver& solver_;
  z3::context& context_;
  std::set<std::string> used_;
  std::map<std::pair<unsigned, std::string>, z3::expr> units_;
  std::map<unsigned, std::pair<z3::expr, z3::expr>> angles_;
  std::map<unsigned, z3::expr> logs_, roots_;
  std::map<unsigned, Linear> exponents_;  // of what exp() gave, by its id
  std::vector<z3::expr> kept_;            // so that ids stay theirs
  int unknowns_ = 0;
};

Linear plus(const Linear& x, const Linear& y);
Linear times(const Linear& x, const Rational& by);

}  // namespace assay
