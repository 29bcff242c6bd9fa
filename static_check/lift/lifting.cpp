#include "static_check/lift/lifting.h"

#include <algorithm>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"

namespace assay {

namespace {

using Tag = InstanceLabel::Tag;

// Classes that a one-hot atom has room for: more than a label is ever extended to, so that only a
// table bounds them.
constexpr Int kClasses = Int{1} << 34;
constexpr Int kIotaSize = Int{1} << 59;  // beyond any tensor

void append(std::string& key, Int value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& key, const Restriction& r) {
  append(key, static_cast<Int>(r.kind));
  append(key, r.label);
  append(key, r.stride);
  append(key, r.radix);
  append(key, static_cast<Int>(r.intervals.size()));
  for (const Interval& interval : r.intervals) {
    append(key, interval.lo);
    append(key, interval.hi);
  }
}

// Functions of the programs: those that name integer maps are none (names.cpp).
bool is_function(Instance::Kind kind, const std::string& fn) {
  using Kind = Instance::Kind;
  return (kind == Kind::kMap && !fn.starts_with("affine[")) || kind == Kind::kBlock ||
         kind == Kind::kOpaque;
}

// Functions are others for another kind of type, but for those whose results are elements of their
// operand: these give the same for integers as for the floating numbers that they become.
Int kind_of(const std::string& fn, DType dtype) {
  if (is_bool(dtype)) return 0;
  return is_floating(dtype) || fn == "median" || fn.starts_with("sort(") ? 1 : 2;
}

std::string key_of(const Request& request) {
  std::string key;
  key.reserve((request.operands.size() + request.piece_sizes.size() + 3) * sizeof(Int) +
              request.fn.size());
  append(key, static_cast<Int>(request.kind));
  append(key, static_cast<Int>(request.operands.size()));
  for (const Instance::Operand& operand : request.operands) append(key, operand.atom);
  append(key, static_cast<Int>(request.terms.size()));
  for (const Instance::CombineTerm& term : request.terms) {
    const auto [p, q, e] = term.coef.parts();
    append(key, p);
    append(key, q);
    append(key, e);
    append(key, term.operand);
    append(key, static_cast<Int>(term.restrictions.size()));
    for (const Restriction& r : term.restrictions) append(key, r);
    for (int32_t guard : term.guard_operands) append(key, guard);
  }
  for (Int size : request.piece_sizes) append(key, size);
  if (is_function(request.kind, request.fn)) append(key, kind_of(request.fn, request.dtype));
  key += request.fn;
  return key;
}

}  // namespace

Lifting::Lifting() {
  const auto scalar = [&](Atom::Kind kind, Int size, DType dtype) {
    Atom atom;
    atom.kind = kind;
    atom.size = size;
    atom.dtype = dtype;
    universe_.atoms.push_back(std::move(atom));
  };
  scalar(Atom::Kind::kOne, 1, DType::kFloat64);
  scalar(Atom::Kind::kInfinity, 1, DType::kFloat64);
  scalar(Atom::Kind::kNan, 1, DType::kFloat64);
  scalar(Atom::Kind::kIota, kIotaSize, DType::kInt64);
}

const Instance& Lifting::instance_of(AtomId id) const {
  ASSAY_CHECK(atom(id).kind == Atom::Kind::kInstance, "the atom is no instance");
  return universe_.instances[static_cast<size_t>(atom(id).instance)];
}

bool Lifting::is_instance(AtomId id, Instance::Kind kind) const {
  return atom(id).kind == Atom::Kind::kInstance && instance_of(id).kind == kind;
}

bool Lifting::is_map(AtomId id, std::string_view fn) const {
  return is_instance(id, Instance::Kind::kMap) && instance_of(id).fn == fn;
}

bool Lifting::is_flag(AtomId id) const {
  const Atom& of = atom(id);
  if (!is_bool(of.dtype) || !of.hidden.empty() || closed_labels_.contains(id)) return false;
  if (of.kind != Atom::Kind::kInstance) return of.kind == Atom::Kind::kInput;
  const Instance& made = instance_of(id);
  return is_function(made.kind, made.fn) || made.kind == Instance::Kind::kDraw;
}

bool Lifting::is_integral(AtomId id) const {
  const Atom& of = atom(id);
  return !is_floating(of.dtype) || of.kind == Atom::Kind::kOne || of.kind == Atom::Kind::kOneHot;
}

AtomId Lifting::one_hot(AtomId ids) {
  if (auto known = one_hots_.find(ids); known != one_hots_.end()) return known->second;
  Atom made;
  made.kind = Atom::Kind::kOneHot;
  if (mul_overflow(atom(ids).size, kClasses, &made.size))
    throw NotLifted{"indices that are one-hots themselves"};
  made.ids = ids;
  const AtomId id = fresh(std::move(made));
  one_hots_.emplace(ids, id);
  return id;
}

void Lifting::assume_index(AtomId ids, const Layout& where, const Intervals& values) {
  std::vector<IndexValues>& known = index_values_[ids];
  const auto same =
      std::ranges::find_if(known, [&](const IndexValues& before) { return before.where == where; });
  if (same == known.end())
    known.push_back({where, values});
  else
    same->values = intersect(same->values, values);
}

Intervals Lifting::index_values(AtomId ids, const Layout* where) const {
  Intervals values{is_flag(ids) ? Interval{0, 2} : kAllIntegers};
  const auto known = index_values_.find(ids);
  if (known == index_values_.end()) return values;
  for (const IndexValues& assumed : known->second)
    if (where == nullptr || covers(assumed.where, *where))
      values = intersect(values, assumed.values);
  return values;
}

const Value* Lifting::drawn(const std::string& fn, int32_t occurrence) const {
  const auto known = drawn_.find({fn, occurrence});
  return known == drawn_.end() ? nullptr : &known->second;
}

void Lifting::remember_draw(const std::string& fn, int32_t occurrence, Value value) {
  drawn_.emplace(std::pair{fn, occurrence}, std::move(value));
}

AtomId Lifting::fresh(Atom atom) {
  universe_.atoms.push_back(std::move(atom));
  return static_cast<AtomId>(universe_.atoms.size()) - 1;
}

LabelId Lifting::hide(AtomId atom, Int size) {
  const auto label = static_cast<LabelId>(universe_.labels.size());
  universe_.labels.push_back({size, false, kNone});
  universe_.atoms[static_cast<size_t>(atom)].hidden.push_back(label);
  return label;
}

std::optional<Lifted> Lifting::find(const Request& request) const {
  const auto known = index_.find(key_of(request));
  if (known == index_.end()) return std::nullopt;
  for (int32_t id : known->second) {
    if (auto lifted = embed(request, universe_.instances[static_cast<size_t>(id)])) return lifted;
  }
  return std::nullopt;
}

bool Lifting::is_unwritten(AtomId id) const {
  while (unwritten_.size() <= static_cast<size_t>(id)) {
    const Atom& next = universe_.atoms[unwritten_.size()];
    bool made_of_it = next.kind == Atom::Kind::kUninit;
    if (next.kind == Atom::Kind::kInstance)
      for (const Instance::Operand& operand :
           universe_.instances[static_cast<size_t>(next.instance)].operands)
        made_of_it = made_of_it || unwritten_[static_cast<size_t>(operand.atom)];
    unwritten_.push_back(made_of_it && is_floating(next.dtype));
  }
  return unwritten_[static_cast<size_t>(id)];
}

Lifted Lifting::lift(const Request& request) {
  if (auto lifted = find(request)) return std::move(*lifted);
  if (knows_only()) throw NotKnown{};
  auto& known = index_[key_of(request)];
  for (const Reach reach : {Reach::kExtended, Reach::kExact}) {
    const int32_t id = extend(request, reach);
    known.push_back(id);
    if (auto lifted = embed(request, universe_.instances[static_cast<size_t>(id)]))
      return std::move(*lifted);
  }
  // Several elements of the request read one of its operand, as overlapping windows do.
  throw NotLifted{"it reads an operand at places that no product of digits counts"};
}

void Lifting::remember_as(const Request& request, const Term& view, const Rational& factor) {
  Instance sum;
  sum.kind = request.kind;
  sum.operands = request.operands;
  sum.terms = request.terms;
  sum.output = view.atom;
  for (const RequestLabel& r : request.labels) {
    if (is_broadcast(r)) return;
    sum.labels.push_back({Tag::kParallel, r.size, r.strides, 0, kNone, kNone});
  }
  Int inner = 1;
  for (size_t j = request.labels.size(); j-- > 0;) {
    const auto dim = static_cast<size_t>(request.labels[j].out_dim);
    if (j + 1 == request.labels.size() ||
        request.labels[j + 1].out_dim != request.labels[j].out_dim)
      inner = view.layout.dims[dim].back().stride;
    sum.labels[j].out_stride = inner;
    inner *= sum.labels[j].size;
  }
  remembered_[key_of(request)].push_back({std::move(sum), factor});
}

std::optional<Term> Lifting::find_remembered(const Request& request) const {
  std::optional<Lifted> lifted = find(request);
  Rational factor = 1;
  const auto known = remembered_.find(key_of(request));
  if (!lifted && known != remembered_.end()) {
    for (const Remembered& entry : known->second) {
      lifted = embed(request, entry.sum);
      factor = entry.factor;
      if (lifted) break;
    }
  }
  if (!lifted) return std::nullopt;
  Term term;
  term.coef = Rational(1) / factor;
  term.atom = lifted->atom;
  term.layout = std::move(lifted->layout);
  return term;
}

bool Lifting::hides(AtomId id, LabelId label) const {
  const std::vector<LabelId>& open = atom(id).hidden;
  if (std::find(open.begin(), open.end(), label) != open.end()) return true;
  const auto closed = closed_labels_.find(id);
  return closed != closed_labels_.end() &&
         std::binary_search(closed->second.begin(), closed->second.end(), label);
}

std::vector<LabelId> Lifting::hidden_labels(const Instance& instance) {
  // A label stays open to boxes when exactly one operand hides it and the operator is linear in
  // that operand.
  std::vector<LabelId> result, closed;
  const auto linear = [&](size_t i) {
    switch (instance.kind) {
      case Instance::Kind::kMul:
      case Instance::Kind::kSum:
        return true;
      case Instance::Kind::kMap:
      case Instance::Kind::kBlock:
        return (instance.linear >> i & 1) != 0;
      default:
        return false;
    }
  };
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    if (!linear(i)) continue;
    const AtomId operand = instance.operands[i].atom;
    for (LabelId label : atom(operand).hidden) {
      if (universe_.labels[static_cast<size_t>(label)].maximum) continue;
      bool clash = false;
      for (size_t k = 0; k < instance.operands.size() && !clash; ++k)
        clash = k != i && hides(instance.operands[k].atom, label);
      (clash ? closed : result).push_back(label);
    }
    const auto known = closed_labels_.find(operand);
    if (known != closed_labels_.end())
      closed.insert(closed.end(), known->second.begin(), known->second.end());
  }
  if (!closed.empty()) {
    std::sort(closed.begin(), closed.end());
    closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
    closed_labels_.emplace(instance.output, std::move(closed));
  }
  for (const InstanceLabel& label : instance.labels) {
    if (label.tag == Tag::kReduced) result.push_back(label.hidden);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<Layout> Lifting::trace(AtomId id, const Layout& layout, size_t operand) const {
  const Instance& instance = instance_of(id);
  Layout result;
  result.offset = instance.operands[operand].offset;
  std::vector<Int> room(instance.labels.size());
  for (size_t j = 0; j < instance.labels.size(); ++j) {
    const InstanceLabel& label = instance.labels[j];
    if (label.out_stride == 0) continue;
    const Int digit = layout.offset / label.out_stride % label.size;
    result.offset += digit * label.strides[operand];
    room[j] = label.size - 1 - digit;
  }
  // The label whose digit a stride counts: the largest out_stride that divides it and does not
  // exceed it.
  const auto label_at = [&](Int stride) {
    int32_t best = kNone;
    for (size_t j = 0; j < instance.labels.size(); ++j) {
      const Int out = instance.labels[j].out_stride;
      if (out == 0 || instance.labels[j].size == 1 || out > stride) continue;
      if (best == kNone || out > instance.labels[static_cast<size_t>(best)].out_stride)
        best = static_cast<int32_t>(j);
    }
    return best;
  };
  result.dims.resize(layout.dims.size());
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    Modes inner_first;
    for (size_t m = layout.dims[d].size(); m-- > 0;) {
      Mode mode = layout.dims[d][m];
      while (mode.size > 1) {
        if (mode.stride == 0) {
          inner_first.push_back(mode);
          break;
        }
        const int32_t j = label_at(mode.stride);
        if (j == kNone) return std::nullopt;
        const InstanceLabel& label = instance.labels[static_cast<size_t>(j)];
        if (mode.stride % label.out_stride != 0) return std::nullopt;
        const Int multiple = mode.stride / label.out_stride;
        Int take = mode.size;
        if ((take - 1) * multiple > room[static_cast<size_t>(j)]) {
          // The mode goes on into the next label: take this label's full remaining digit.
          if (label.size % multiple != 0) return std::nullopt;
          take = label.size / multiple;
          if (take <= 1 || mode.size % take != 0) return std::nullopt;
        }
        room[static_cast<size_t>(j)] -= (take - 1) * multiple;
        if (room[static_cast<size_t>(j)] < 0) return std::nullopt;
        inner_first.push_back({take, multiple * label.strides[operand]});
        mode = {mode.size / take, mode.stride * take};
      }
    }
    result.dims[d].assign(inner_first.rbegin(), inner_first.rend());
    coalesce(result.dims[d]);
  }
  return result;
}

std::optional<std::vector<Term>> Lifting::unfold(const Term& term) const try {
  if (!is_instance(term.atom, Instance::Kind::kCombine)) return std::nullopt;
  const Instance& instance = instance_of(term.atom);
  std::vector<Term> result;
  for (const Instance::CombineTerm& part : instance.terms) {
    Term made;
    made.coef = term.coef * part.coef;
    made.atom = instance.operands[static_cast<size_t>(part.operand)].atom;
    auto layout = trace(term.atom, term.layout, static_cast<size_t>(part.operand));
    if (!layout) return std::nullopt;
    made.layout = std::move(*layout);
    made.restrictions = part.restrictions;
    size_t guard = 0;
    for (Restriction& r : made.restrictions) {
      if (r.kind != Restriction::Kind::kGuard) continue;
      auto where = trace(term.atom, term.layout, static_cast<size_t>(part.guard_operands[guard++]));
      if (!where) return std::nullopt;
      r.where = std::move(*where);
    }
    made.restrictions.insert(made.restrictions.end(), term.restrictions.begin(),
                             term.restrictions.end());
    if (normalize(made.restrictions)) result.push_back(std::move(made));
  }
  combine(result);
  return result;
} catch (const RationalOverflow&) {
  return std::nullopt;
}

}  // namespace assay
