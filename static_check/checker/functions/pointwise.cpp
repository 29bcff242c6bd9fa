// Element-wise operators and constants.
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/exponentials.h"
#include "static_check/checker/arithmetic/extrema.h"
#include "static_check/checker/integers/one_hots.h"
#include "static_check/checker/integers/piecewise_affine.h"
#include "static_check/checker/integers/whole_numbers.h"
#include "static_check/checker/operators.h"

namespace assay::checker {
namespace {

Sum operand_sum(const Step& step, size_t i, const Region& region,
                const std::vector<Affine>& coords) {
  return as_sum(element_at(region, step.operand(i), coords));
}

Product number(const Rational& value) { return {value, {}, {}, {}}; }

// The atom of a constant that is no real number.
AtomId special_atom(const Facts& facts, Atom::Kind kind) {
  const std::vector<Atom>& atoms = facts.universe().atoms;
  const auto found =
      std::find_if(atoms.begin(), atoms.end(), [&](const Atom& atom) { return atom.kind == kind; });
  if (found == atoms.end()) throw Rejection{"an infinite constant without its atom"};
  return static_cast<AtomId>(found - atoms.begin());
}

Sum constant(const Step& step) {
  const CoreOp& op = step.op();
  if (op.fn.empty()) return {number(op.constant)};
  if (op.fn == "nan") return {{1, {{special_atom(step.facts, Atom::Kind::kNan), {}}}, {}, {}}};
  const AtomId infinity = special_atom(step.facts, Atom::Kind::kInfinity);
  return {{op.fn == "-inf" ? -1 : 1, {{infinity, {}}}, {}, {}}};
}

Sum times(Sum sum, const Rational& factor) {
  for (Product& product : sum) product.coef = product.coef * factor;
  return sum;
}

Sum linear(const Step& step, const Region& region, const std::vector<Affine>& coords) {
  Sum sum;
  for (size_t i = 0; i < step.op().operands.size(); ++i) {
    const Sum operand = operand_sum(step, i, region, coords);
    Sum scaled;
    try {
      scaled = times(operand, step.op().coefs[i]);
    } catch (const RationalOverflow&) {  // the claim may keep a coefficient in a name
      check_infinities(step.facts, operand);
      const auto name =
          name_of(step.facts, region, operand, as_sum(element_at(region, step.claim(), coords)));
      if (!name) throw;
      scaled = times({*name}, step.op().coefs[i]);
    }
    sum.insert(sum.end(), scaled.begin(), scaled.end());
  }
  check_infinities(step.facts, sum);
  return sum;
}

// The guards that a mask of 0 and 1 is; nullopt where it is no function of one integer element.
std::optional<Sum> mask_as_guards(const Step& step, const Region& region,
                                  const std::vector<Affine>& coords) {
  const auto map = as_integer(step.facts, region, element_at(region, step.operand(0), coords));
  if (!map) return std::nullopt;
  if (map->of.atom == kNone) return map->pieces[0].b == 0 ? Sum{} : Sum{number(1)};
  Guard guard{map->of, {}};
  for (const PiecewiseAffine::Piece& piece : map->pieces) {
    if (piece.a == 0 && piece.b == 0) continue;
    if (piece.a == 0 && piece.b == 1)
      guard.in.push_back(piece.x);
    else if (step.facts.boolean(map->of.atom) && piece.a == 1 && piece.b == 0)
      for (const Interval& in : intersect({piece.x}, {{1, 2}})) guard.in.push_back(in);
    else
      return std::nullopt;
  }
  return Sum{{1, {}, {}, {guard}}};
}

// mask ? x : 0 is exact whatever x is, infinite or a part of a maximum apart.
Sum keep(const Step& step, const Region& region, const std::vector<Affine>& coords) {
  const auto mask = mask_as_guards(step, region, coords);
  if (!mask) throw Rejection{"a mask that is no function of one integer"};
  if (mask->empty()) return {};
  Sum kept = operand_sum(step, 1, region, coords);
  for (Product& product : kept)
    product.guards.insert(product.guards.end(), mask->front().guards.begin(),
                          mask->front().guards.end());
  return kept;
}

Sum expected(const Step& step, const Region& region, const std::vector<Affine>& coords) {
  const CoreOp& op = step.op();
  switch (op.prim) {
    case Prim::kConst:
      return constant(step);
    case Prim::kIota:
      return {{1, {{step.facts.iota(), coords[0]}}, {}, {}}};
    case Prim::kLinear:
      return linear(step, region, coords);
    case Prim::kMul:
      return multiply(step.facts, region, operand_sum(step, 0, region, coords),
                      operand_sum(step, 1, region, coords),
                      as_sum(element_at(region, step.claim(), coords)));
    case Prim::kKeep:
      return keep(step, region, coords);
    case Prim::kOneHot:
      return one_hot(step, region, coords);
    case Prim::kCast: {
      const DType from = step.operand_op(0).dtype;
      const bool keeps = is_floating(from)
                             ? is_floating(op.dtype) || keeps_whole_numbers(step.program, op)
                             : widens(from, op.dtype);
      if (!keeps) throw Rejection{"a cast that may change the value"};
      return operand_sum(step, 0, region, coords);
    }
    default:
      throw Rejection{"a function without a rule of its own"};
  }
}

// The maximum of two maxima is that of all that they are of, and of a number and itself that
// number.
bool is_united_extremum(const Step& step, const Region& region, const Sum& claimed) {
  const CoreOp& op = step.op();
  const bool maximum = op.fn == "maximum";
  if (op.prim != Prim::kMap || (!maximum && op.fn != "minimum") || !is_floating(op.dtype))
    return false;
  std::vector<Sum> parts;
  Sum all;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    parts.push_back(operand_sum(step, i, region, region.coords));
    all.insert(all.end(), parts.back().begin(), parts.back().end());
  }
  if (parts.size() == 2 && equal(step.facts, region, parts[0], parts[1]))
    return equal(step.facts, region, claimed, parts[0]);
  const auto kind = maximum ? Instance::Kind::kMax : Instance::Kind::kMin;
  const bool are_parts = std::all_of(parts.begin(), parts.end(), [&](const Sum& part) {
    return is_extremum_part(step.facts, kind, part);
  });
  if (!are_parts) return false;
  return equal_unions(step.facts, region, claimed, all) ||
         is_extremum_of(step.facts, region, kind, claimed, parts);
}

bool has_pieces_rule(Prim prim) {
  return prim == Prim::kLinear || prim == Prim::kMul || prim == Prim::kKeep ||
         prim == Prim::kCast || prim == Prim::kMap;
}

}  // namespace

void reject_difference(const std::vector<Affine>& coords, const Sum& claimed, const Sum& expected) {
  std::string at;
  for (const Affine& coord : coords) at += (at.empty() ? "" : ", ") + decimal(coord.base);
  throw Rejection{"from element [" + at + "] on: claimed " + to_string(claimed) + ", but it is " +
                  to_string(expected)};
}

void check_everywhere(const Step& step, const ExpectedElement& expected) {
  for_each_region(region_of(step.op().shape), 0, [&](const Region& region) {
    const Sum claimed = as_sum(element_at(region, step.claim(), region.coords));
    const Sum follows = expected(region, region.coords);
    if (!equal_in_elements(step.facts, region, claimed, follows))
      reject_difference(region.coords, claimed, follows);
    ++step.probes;
  });
}

void check_pointwise(const Step& step) {
  const CoreOp& op = step.op();
  if (op.prim == Prim::kIota && !op.shape.empty() && op.shape[0] > 0 && step.facts.iota() == kNone)
    throw Rejection{"an iota without its atom"};
  const bool pieces = has_pieces_rule(op.prim) && !op.operands.empty();
  const bool function = op.prim == Prim::kMap || op.prim == Prim::kKeep || op.prim == Prim::kCast;
  try {
    for_each_region(region_of(op.shape), 0, [&](const Region& region) {
      const Element claimed = element_at(region, step.claim(), region.coords);
      if (pieces) {
        std::vector<Element> operands;
        for (size_t i = 0; i < op.operands.size(); ++i)
          operands.push_back(element_at(region, step.operand(i), region.coords));
        const DType dtype = step.operand_op(op.operands.size() - 1).dtype;
        if (holds_by_pieces(step.facts, region, op, dtype, operands, claimed)) {
          ++step.probes;
          return;
        }
      }
      if (!claimed.integer && is_united_extremum(step, region, claimed.sum)) {
        ++step.probes;
        return;
      }
      const bool exponential = op.prim == Prim::kMap && op.operands.size() == 1 &&
                               is_floating(op.dtype) && is_floating(step.operand_op(0).dtype);
      if (exponential && !claimed.integer &&
          holds_exponentially(step.facts, region, op.fn,
                              operand_sum(step, 0, region, region.coords), claimed.sum)) {
        ++step.probes;
        return;
      }
      const Sum follows = expected(step, region, region.coords);
      const auto same = function ? equal : equal_in_elements;
      if (!same(step.facts, region, as_sum(claimed), follows))
        reject_difference(region.coords, as_sum(claimed), follows);
      ++step.probes;
    });
  } catch (const Rejection&) {
    if (!function) throw;
    check_function(step);
  }
}

}  // namespace assay::checker
