#include "static_check/domains/masked_signs.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "shared_ir/reference/element_functions.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/value.h"

namespace assay {
namespace {

// Elements of a mask that are worked out for one sum.
constexpr Int kMostElements = 1 << 16;
// How deep the functions and sums are nested that are looked into.
constexpr int kMostNested = 16;

// Plus infinity, or 0 where a mask hides it.
const Instance* masked_infinity(const Lifting& lifting, AtomId id) {
  if (!lifting.is_instance(id, Instance::Kind::kMap)) return nullptr;
  const Instance& keep = lifting.instance_of(id);
  const bool infinite = keep.fn == "keep" && keep.operands.size() == 2 &&
                        lifting.atom(keep.operands[1].atom).kind == Atom::Kind::kInfinity;
  return infinite ? &keep : nullptr;
}

bool is_infinity(const Lifting& lifting, AtomId id) {
  return lifting.atom(id).kind == Atom::Kind::kInfinity || masked_infinity(lifting, id) != nullptr;
}

class PositiveSum {
 public:
  PositiveSum(const Lifting& lifting, const std::vector<Sign>& signs)
      : lifting_(lifting), signs_(signs) {}

  // Whether every element of the atom is known to be a real number greater than 0.
  bool holds(AtomId sum) {
    const Instance* added = instance(sum, Instance::Kind::kSum);
    if (added == nullptr) return false;
    const AtomId weights = added->operands[0].atom;
    const Instance* exponential = instance(weights, Instance::Kind::kMap);
    if (exponential == nullptr || exponential->fn != "exp") return false;
    if (!sign(exponential->operands[0].atom).below) return false;
    const auto at = [&](bool last) {
      const auto exponents = lifting_.trace(weights, addends(*added, last), 0);
      return exponents && is_finite_at(view_of(exponential->operands[0].atom, *exponents));
    };
    return at(false) || at(true);
  }

 private:
  const Instance* instance(AtomId id, Instance::Kind kind) const {
    return lifting_.is_instance(id, kind) ? &lifting_.instance_of(id) : nullptr;
  }

  const Sign& sign(AtomId id) const { return signs_[static_cast<size_t>(id)]; }

  // Of each of the sums, the first addend, or the last.
  static Layout addends(const Instance& sum, bool last) {
    Layout layout;
    layout.offset = sum.operands[0].offset;
    for (const InstanceLabel& label : sum.labels) {
      const Int stride = label.strides[0];
      if (label.tag == InstanceLabel::Tag::kParallel) {
        Modes modes{{label.size, stride}};
        coalesce(modes);
        layout.dims.push_back(std::move(modes));
      } else if (last) {
        layout.offset += (label.size - 1) * stride;
      }
    }
    return layout;
  }

  // Whether what is real or minus infinity is real at all elements of the view.
  bool is_finite_at(const Term& term) {
    if (sign(term.atom).finite) return true;
    if (std::ranges::any_of(term.restrictions,
                            [&](const Restriction& r) { return excludes_all(r); }))
      return true;
    if (const Instance* hidden = masked_infinity(lifting_, term.atom)) {
      const auto mask = lifting_.trace(term.atom, term.layout, 0);
      return mask && all_of(hidden->operands[0].atom, *mask, [](double flag) { return flag == 0; });
    }
    if (instance(term.atom, Instance::Kind::kCombine) == nullptr || nested_ == kMostNested)
      return false;
    const auto summands = lifting_.unfold(term);
    if (!summands) return false;
    ++nested_;
    const bool finite =
        std::ranges::all_of(*summands, [&](const Term& t) { return is_finite_at(t); });
    --nested_;
    return finite;
  }

  // The term counts nowhere.
  bool excludes_all(const Restriction& guard) {
    return guard.kind == Restriction::Kind::kGuard &&
           all_of(guard.atom, guard.where, [&](double value) {
             return std::ranges::none_of(guard.intervals, [&](const Interval& interval) {
               return static_cast<double>(interval.lo) <= value &&
                      value < static_cast<double>(interval.hi);
             });
           });
  }

  // Whether all elements of the view are known and satisfy `holds`.
  template <typename Holds>
  bool all_of(AtomId id, const Layout& layout, const Holds& holds) {
    std::vector<Mode> modes;
    Int elements = 1;
    for (const Modes& dim : layout.dims)
      for (const Mode& mode : dim)
        if (mode.stride != 0) {
          modes.push_back(mode);
          if (mode.size > kMostElements / elements) return false;
          elements *= mode.size;
        }
    for (Int i = 0; i < elements; ++i) {
      Int at = layout.offset, rest = i;
      for (const Mode& mode : modes) {
        at += rest % mode.size * mode.stride;
        rest /= mode.size;
      }
      const auto value = element(id, at);
      if (!value || !holds(*value)) return false;
    }
    return true;
  }

  // An element of what is made of positions and constants alone.
  std::optional<double> element(AtomId id, Int at) {
    const Atom& atom = lifting_.atom(id);
    if (atom.kind == Atom::Kind::kIota) return static_cast<double>(at);
    if (atom.kind == Atom::Kind::kOne) return 1;
    const Instance* made = instance(id, Instance::Kind::kMap);
    if (made == nullptr || nested_ == kMostNested) return std::nullopt;
    const auto function = reference::parse_function_name(made->fn);
    const auto compute = reference::find_map(function.name);
    if (compute == nullptr) return std::nullopt;
    ++nested_;
    std::vector<double> operands;
    for (size_t i = 0; i < made->operands.size(); ++i) {
      Int address = made->operands[i].offset;
      for (const InstanceLabel& label : made->labels)
        address += at / label.out_stride % label.size * label.strides[i];
      const auto operand = element(made->operands[i].atom, address);
      if (!operand) break;
      operands.push_back(*operand);
    }
    --nested_;
    if (operands.size() != made->operands.size()) return std::nullopt;
    return compute(function, operands);
  }

  const Lifting& lifting_;
  const std::vector<Sign>& signs_;
  int nested_ = 0;
};

}  // namespace

Sign MaskedSigns::sign(AtomId id) {
  while (signs_.size() <= static_cast<size_t>(id)) add();
  return signs_[static_cast<size_t>(id)];
}

void MaskedSigns::add() {
  Sign known = next_sign(lifting_.universe(), signs_);
  const auto id = static_cast<AtomId>(signs_.size());
  bool above = known.finite || is_infinity(lifting_, id);
  if (!known.finite && lifting_.atom(id).kind == Atom::Kind::kInstance) {
    const Instance& made = lifting_.instance_of(id);
    if (made.kind == Instance::Kind::kCombine) {
      known.below = known.below || is_bounded(made, false);
      above = above || is_bounded(made, true);
    }
    const bool inverse = made.fn == "reciprocal" || made.fn == "log";
    if (inverse && PositiveSum(lifting_, signs_).holds(made.operands[0].atom)) {
      known = {.below = true, .finite = true, .positive = made.fn == "reciprocal"};
      above = true;
    }
  }
  signs_.push_back(known);
  above_.push_back(above);
}

bool MaskedSigns::is_bounded(const Instance& sum, bool above) const {
  return std::ranges::all_of(sum.terms, [&](const Instance::CombineTerm& term) {
    const auto of = static_cast<size_t>(sum.operands[static_cast<size_t>(term.operand)].atom);
    return above != term.coef.is_negative() ? above_[of] : signs_[of].below;
  });
}

}  // namespace assay
