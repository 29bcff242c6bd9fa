#include "static_check/checker/facts/facts.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/facts/instances.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

bool contains(const std::vector<LabelId>& sorted, LabelId label) {
  return std::binary_search(sorted.begin(), sorted.end(), label);
}

void insert(std::vector<LabelId>& sorted, LabelId label) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), label);
  if (at == sorted.end() || *at != label) sorted.insert(at, label);
}

// The pieces that "affine[lo,hi:a,b]..." spells, as a materialised integer map is named; nullopt
// for other functions.
std::optional<std::vector<PiecewiseAffine::Piece>> parse_pieces(const std::string& fn) {
  constexpr std::string_view kPrefix = "affine";
  if (!fn.starts_with("affine[")) return std::nullopt;
  std::vector<PiecewiseAffine::Piece> pieces;
  std::istringstream text(fn.substr(kPrefix.size()));
  PiecewiseAffine::Piece piece;
  char open, comma, colon, second, close;
  while (text >> open >> piece.x.lo >> comma >> piece.x.hi >> colon >> piece.a >> second >>
         piece.b >> close) {
    if (open != '[' || comma != ',' || colon != ':' || second != ',' || close != ']')
      return std::nullopt;
    pieces.push_back(piece);
  }
  if (!well_formed(pieces)) return std::nullopt;
  return pieces;
}

void check_intervals(const std::vector<Interval>& intervals) {
  Int last = INT64_MIN;
  bool first = true;
  for (const Interval& interval : intervals) {
    if (interval.lo >= interval.hi || (!first && interval.lo <= last))
      throw Rejection{"intervals that are not sorted and disjoint"};
    last = interval.hi;
    first = false;
  }
}

}  // namespace

bool selects(const std::string& fn) { return fn == "median" || fn.starts_with("sort("); }

bool well_formed(const std::vector<PiecewiseAffine::Piece>& pieces) {
  constexpr Int kLargest = Int{1} << 60;  // far beyond any index, so that no line overflows
  Int end = INT64_MIN;
  for (const PiecewiseAffine::Piece& piece : pieces) {
    if (piece.x.lo != end || piece.x.hi <= piece.x.lo || std::max(piece.a, piece.b) > kLargest ||
        std::min(piece.a, piece.b) < -kLargest)
      return false;
    end = piece.x.hi;
  }
  return end == INT64_MAX;
}

Facts::Facts(const Universe& universe, const Graph& sequential, const LinearIn& linear)
    : universe_(universe), linear_(linear), facts_(universe.atoms.size()) {
  std::set<TensorId> inputs;
  for (size_t i = 0; i < universe_.atoms.size(); ++i) {
    const auto id = static_cast<AtomId>(i);
    const Atom& atom = universe_.atoms[i];
    if (atom.size < 0) reject(id, "negative size");
    if (atom.kind == Atom::Kind::kInput && atom.tensor != kNone &&
        !inputs.insert(atom.tensor).second)
      reject(id, "a second atom for one sequential input");
    derive(id, sequential);
    derive_sign(id);
  }
  for (const Instance& instance : universe_.instances) {
    if (!valid(instance.output) || definition(instance.output) != &instance)
      throw Rejection{"an instance without its output atom"};
    if (is_reduction(instance.kind)) reductions_[instance.operands[0].atom].push_back(&instance);
  }
}

const Instance* Facts::definition(AtomId id) const {
  const Atom& made = atom(id);
  return made.kind == Atom::Kind::kInstance
             ? &universe_.instances[static_cast<size_t>(made.instance)]
             : nullptr;
}

bool Facts::hides(AtomId id, LabelId label) const {
  return contains(facts_[static_cast<size_t>(id)].hidden, label);
}
bool Facts::may_box(AtomId id, LabelId label) const {
  return contains(facts_[static_cast<size_t>(id)].boxable, label);
}

bool Facts::may_bound(AtomId id, LabelId label) const {
  const Instance* made = definition(id);
  if (made == nullptr || made->kind == Instance::Kind::kSum || !is_reduction(made->kind))
    return false;
  return std::any_of(made->labels.begin(), made->labels.end(), [&](const InstanceLabel& own) {
    return own.tag == Tag::kReduced && own.hidden == label;
  });
}

bool Facts::boolean(AtomId id) const {
  const Atom& made = atom(id);
  if (!is_bool(made.dtype) || !facts_[static_cast<size_t>(id)].hidden.empty()) return false;
  if (made.kind == Atom::Kind::kInput) return true;
  const Instance* instance = definition(id);
  return instance != nullptr && pieces_of(*instance) == nullptr &&
         (instance->kind == Instance::Kind::kMap || instance->kind == Instance::Kind::kBlock ||
          instance->kind == Instance::Kind::kOpaque || instance->kind == Instance::Kind::kDraw);
}

std::vector<Interval> Facts::integer_values(const Region& region, AtomId id,
                                            const Affine& index) const {
  const Interval all = boolean(id) ? Interval{0, 2} : Interval{INT64_MIN, INT64_MAX};
  return indices_.within(id, region, index, {all});
}

AtomId Facts::one_hot_of(AtomId ids) const {
  const auto found = one_hots_.find(ids);
  return found == one_hots_.end() ? kNone : found->second;
}

void Facts::learn(AtomId left, AtomId right, const Rational& factor) {
  if (left == right || !equal_.emplace(left, Multiple{right, factor}).second)
    reject(left, "a second equality by lemmas");
}

const Facts::Multiple* Facts::equal_to(AtomId id) const {
  const auto found = equal_.find(id);
  return found == equal_.end() ? nullptr : &found->second;
}

const std::vector<PiecewiseAffine::Piece>* Facts::pieces_of(const Instance& instance) const {
  const auto found = pieces_.find(&instance);
  return found == pieces_.end() ? nullptr : &found->second;
}

const std::vector<const Instance*>& Facts::reductions_of(AtomId operand) const {
  static const std::vector<const Instance*> none;
  const auto found = reductions_.find(operand);
  return found == reductions_.end() ? none : found->second;
}

void Facts::check_restriction(AtomId id, const Restriction& restriction) const {
  check_intervals(restriction.intervals);
  if (restriction.kind == Restriction::Kind::kGuard) {
    if (!valid(restriction.atom) || !integral(restriction.atom))
      reject(id, "a guard on what is no integer atom");
    return;
  }
  const bool maximum = restriction.kind == Restriction::Kind::kMax;
  const LabelId label = restriction.label;
  if (!(maximum ? may_bound(id, label) : may_box(id, label)))
    reject(id, "a box on label " + std::to_string(label) + ", which it does not hide exactly once");
  const Int size = universe_.labels[static_cast<size_t>(label)].size;
  if (restriction.stride < 1 || restriction.radix < 1 || restriction.stride > size ||
      size % restriction.stride != 0 || (size / restriction.stride) % restriction.radix != 0)
    reject(id, "a box on a digit that its label does not have");
  if (restriction.intervals.empty() || restriction.intervals.front().lo < 0 ||
      restriction.intervals.back().hi > restriction.radix)
    reject(id, "a box outside of its label");
}

void Facts::unite_hidden(Fact& fact, AtomId operand) const {
  const Fact& from = facts_[static_cast<size_t>(operand)];
  std::vector<LabelId> boxable;
  for (const LabelId label : fact.boxable)
    if (!contains(from.hidden, label)) insert(boxable, label);
  for (const LabelId label : from.boxable)
    if (!contains(fact.hidden, label)) insert(boxable, label);
  for (const LabelId label : from.hidden) insert(fact.hidden, label);
  fact.boxable = std::move(boxable);
}

void Facts::derive(AtomId id, const Graph& sequential) {
  const Atom& made = atom(id);
  Fact& fact = facts_[static_cast<size_t>(id)];
  fact.canonical = id;
  fact.integral = !is_floating(made.dtype);
  switch (made.kind) {
    case Atom::Kind::kInput:
      if (made.tensor != kNone) {
        if (made.tensor < 0 || static_cast<size_t>(made.tensor) >= sequential.tensors.size())
          reject(id, "no such sequential tensor");
        const DType dtype = sequential.tensors[static_cast<size_t>(made.tensor)].dtype;
        if (is_floating(dtype) != is_floating(made.dtype) || is_bool(dtype) != is_bool(made.dtype))
          reject(id, "another dtype than its tensor");
      }
      for (const LabelId label : made.hidden) {
        if (label < 0 || static_cast<size_t>(label) >= universe_.labels.size())
          reject(id, "no such label");
        const HiddenLabel& hidden = universe_.labels[static_cast<size_t>(label)];
        if (hidden.instance != kNone || hidden.maximum || hidden.size < 1)
          reject(id, "a label of something else");
        insert(fact.hidden, label);
      }
      fact.boxable = fact.hidden;
      break;
    case Atom::Kind::kOne:
      if (made.size != 1) reject(id, "the constant 1 is a scalar");
      fact.integral = true;
      break;
    case Atom::Kind::kInfinity:
    case Atom::Kind::kNan:
      if (made.size != 1) reject(id, "a constant is a scalar");
      fact.integral = false;
      break;
    case Atom::Kind::kIota:
      if (iota_ == kNone) iota_ = id;
      fact.canonical = iota_;
      fact.integral = true;
      break;
    case Atom::Kind::kOneHot:
      if (!valid(made.ids) || made.ids >= id || !integral(made.ids))
        reject(id, "a one-hot of no integer atom");
      if (atom(made.ids).size == 0 || made.size % atom(made.ids).size != 0)
        reject(id, "a one-hot that is no matrix");
      fact.canonical = one_hots_.emplace(made.ids, id).first->second;
      fact.integral = true;
      break;
    case Atom::Kind::kUninit:
      fact.unwritten = is_floating(made.dtype);
      break;
    case Atom::Kind::kRandom:
      break;
    case Atom::Kind::kInstance:
      derive_instance(id);
      break;
  }
}

void Facts::derive_instance(AtomId id) {
  const Atom& made = atom(id);
  if (made.instance < 0 || static_cast<size_t>(made.instance) >= universe_.instances.size())
    reject(id, "no such instance");
  const Instance& instance = *definition(id);
  Fact& fact = facts_[static_cast<size_t>(id)];
  if (instance.output != id) reject(id, "an instance with another output");
  bool integral_operands = true;
  for (const Instance::Operand& operand : instance.operands) {
    if (!valid(operand.atom) || operand.atom >= id)
      reject(id, "an operand that is not made before it");
    integral_operands &= integral(operand.atom);
    fact.unwritten |= is_floating(made.dtype) && unwritten(operand.atom);
  }
  check_instance(universe_, instance);

  using Kind = Instance::Kind;
  const size_t operands = instance.operands.size();
  switch (instance.kind) {
    case Kind::kMul:
      for (const Instance::Operand& operand : instance.operands) unite_hidden(fact, operand.atom);
      fact.integral = integral_operands;
      break;
    case Kind::kSum:
      unite_hidden(fact, instance.operands[0].atom);
      [[fallthrough]];
    case Kind::kMax:
    case Kind::kMin: {
      fact.integral = integral_operands;
      std::set<LabelId> own;
      for (const InstanceLabel& label : instance.labels) {
        if (label.tag != Tag::kReduced) continue;
        if (label.hidden < 0 || static_cast<size_t>(label.hidden) >= universe_.labels.size() ||
            !own.insert(label.hidden).second)
          reject(id, "a reduced label without a name of its own");
        const HiddenLabel& hidden = universe_.labels[static_cast<size_t>(label.hidden)];
        if (hidden.size != label.size || hidden.instance != made.instance ||
            hidden.maximum != (instance.kind != Kind::kSum))
          reject(id, "a reduced label that is another instance's");
        if (instance.kind != Kind::kSum) continue;
        insert(fact.hidden, label.hidden);
        insert(fact.boxable, label.hidden);
      }
      break;
    }
    case Kind::kMap:
      if (auto pieces = parse_pieces(instance.fn)) {
        if (operands != 1 || !integral_operands || instance.linear != 0)
          reject(id, "an integer map of what is no integer");
        fact.integral = true;
        pieces_.emplace(&instance, std::move(*pieces));
        break;
      }
      [[fallthrough]];
    case Kind::kBlock: {
      const auto known = linear_.find(instance.fn);
      if (known == linear_.end() || known->second != instance.linear)
        reject(id, "\"" + instance.fn + "\" is not linear as it says");
      // It may be claimed where its operand has floating numbers (block_calls.cpp).
      if (selects(instance.fn)) fact.integral &= integral_operands;
      for (size_t i = 0; i < operands; ++i)
        if ((instance.linear >> i) & 1) unite_hidden(fact, instance.operands[i].atom);
      break;
    }
    case Kind::kCombine:
      if (fact.unwritten && instance.terms.size() > 1)
        reject(id, "a name for a sum with what nothing has written");
      fact.integral = true;
      for (const Instance::CombineTerm& term : instance.terms) {
        if (term.operand < 0 || static_cast<size_t>(term.operand) >= operands)
          reject(id, "no such operand");
        const AtomId of = instance.operands[static_cast<size_t>(term.operand)].atom;
        fact.integral &= integral(of) && term.coef.is_integer();
        size_t guards = 0;
        for (const Restriction& restriction : term.restrictions) {
          check_restriction(of, restriction);
          if (restriction.kind != Restriction::Kind::kGuard) continue;
          if (guards >= term.guard_operands.size()) reject(id, "a guard without its operand");
          const int32_t operand = term.guard_operands[guards++];
          if (operand < 0 || static_cast<size_t>(operand) >= operands ||
              instance.operands[static_cast<size_t>(operand)].atom != restriction.atom)
            reject(id, "a guard on another operand");
        }
      }
      break;
    case Kind::kCat:
      fact.integral = integral_operands;
      break;
    case Kind::kOpaque:
    case Kind::kDraw:
      break;
  }
}

}  // namespace assay::checker
