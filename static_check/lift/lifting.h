// Lifting an operator on blocks (docs/architecture.md): a request says which views of which atoms
// meet under which shared labels; the answer is a view of an operator instance. First every known
// instance is tried (embedding); only then the labels are extended as far as all operands allow,
// and the larger instance is stored.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/signs.h"
#include "static_check/smt/solver.h"

namespace assay {

struct RequestLabel {
  InstanceLabel::Tag tag = InstanceLabel::Tag::kParallel;
  Int size = 1;
  Strides strides;             // per operand of the request
  int32_t spec_label = kNone;  // whole labels
  int32_t out_dim = kNone;     // logical output dimension whose next digit (outer to inner) this is
};

// A parallel label that no operand sees: the result repeats along it.
bool is_broadcast(const RequestLabel& label);

struct Request {
  Instance::Kind kind = Instance::Kind::kMul;
  std::string fn;
  uint32_t linear = 0;
  std::vector<Instance::Operand> operands;
  std::vector<Instance::CombineTerm> terms;
  std::vector<Int> piece_sizes;
  std::vector<RequestLabel> labels;
  size_t out_dims = 0;
  DType dtype = DType::kFloat32;  // of the output
};

// Thrown when the deadline has passed.
struct TimedOut {};

// Thrown inside the lifter when no layout expresses a step; the operator's result is then an
// unknown of its own.
struct NotLifted {
  std::string reason;
};

// Thrown by lift() while no new instance may be made.
struct NotKnown {};

struct Lifted {
  AtomId atom = 0;
  Layout layout;                   // over the request's output dimensions
  std::vector<Restriction> boxes;  // kSum: kBox, kMax / kMin: kMax
};

// Owns the universe while both sides are lifted.
class Lifting {
 public:
  Lifting();

  const Universe& universe() const { return universe_; }
  Universe take() { return std::move(universe_); }
  const Atom& atom(AtomId id) const { return universe_.atoms[static_cast<size_t>(id)]; }
  const HiddenLabel& label(LabelId id) const { return universe_.labels[static_cast<size_t>(id)]; }
  const Instance& instance_of(AtomId id) const;
  bool is_instance(AtomId id, Instance::Kind kind) const;
  bool is_map(AtomId id, std::string_view fn) const;

  // Whether every element is 0 or 1: not of what adds flags up.
  bool is_flag(AtomId id) const;
  // Whether every element is an integer.
  bool is_integral(AtomId id) const;

  // What is known of the atom's elements as real numbers.
  Sign sign(AtomId id) const {
    while (signs_.size() <= static_cast<size_t>(id)) signs_.push_back(next_sign(universe_, signs_));
    return signs_[static_cast<size_t>(id)];
  }

  // Whether the atom is made of memory that nothing has written, which may hold anything: NaN, too.
  bool is_unwritten(AtomId id) const;

  // While reading the sequential program, reduced labels are not extended beyond what it sums.
  void set_sequential(bool sequential) { sequential_ = sequential; }
  bool is_sequential() const { return sequential_; }

  // The sequential program computes an index from these elements of an integer atom: they are such
  // that the index lies in its table, an assumption that lowering lists.
  void assume_index(AtomId ids, const Layout& where, const Intervals& values);
  // The values that the sequential program's indices leave to these elements, and to all elements
  // that are such.
  Intervals index_values(AtomId ids, const Layout& where) const {
    return index_values(ids, &where);
  }
  Intervals index_values(AtomId ids) const { return index_values(ids, nullptr); }

  // Whether the ranks' random operators are taken to draw what the sequential program draws.
  void set_random_agrees(bool agrees) { random_agrees_ = agrees; }
  bool random_agrees() const { return random_agrees_; }
  // What the sequential program's call number `occurrence` of a random operator gave that draws for
  // no tensor; nullptr when there is none.
  const Value* drawn(const std::string& fn, int32_t occurrence) const;
  void remember_draw(const std::string& fn, int32_t occurrence, Value value);

  // Lemmas show that `kept` is factor * replaced, index by index: what maps, products, linear
  // combinations and blocks compute from here on speaks of `kept`.
  void equate(AtomId kept, AtomId replaced, const Rational& factor) {
    equal_[replaced] = {kept, Rational(1) / factor};
    kept_.insert(kept);
  }
  // Whether another one was replaced by it.
  bool is_kept(AtomId id) const { return kept_.contains(id); }
  // The atom that is spoken of instead, and its factor; nullptr when it is the atom itself.
  const std::pair<AtomId, Rational>* kept(AtomId id) const {
    const auto found = equal_.find(id);
    return found == equal_.end() ? nullptr : &found->second;
  }

  void set_deadline(std::chrono::steady_clock::time_point deadline) { deadline_ = deadline; }
  // Called once an operator and once a covered tensor. Throws TimedOut.
  void check_deadline() const {
    if (std::chrono::steady_clock::now() > deadline_) throw TimedOut{};
  }

  // Decides what intervals leave open.
  Solver& solver() { return solver_; }

  AtomId one() const { return 0; }
  AtomId infinity() const { return 1; }
  AtomId nan() const { return 2; }
  AtomId iota() const { return 3; }
  AtomId one_hot(AtomId ids);
  // An atom that equals nothing else: a sequential input (tensor given), a random draw, unwritten
  // memory, an unknown.
  AtomId fresh(Atom atom);
  // A hidden label of an atom without an instance: a sum over ranks of a partial input.
  LabelId hide(AtomId atom, Int size);
  // The atom is made of sums over the label, however many.
  bool hides(AtomId id, LabelId label) const;

  // Throws NotKnown where it would make an instance and may not.
  Lifted lift(const Request& request);
  // While one of these lives, only what is known is found.
  class KnownOnly {
   public:
    explicit KnownOnly(Lifting& lifting) : lifting_(lifting) { ++lifting_.known_only_; }
    ~KnownOnly() { --lifting_.known_only_; }
    KnownOnly(const KnownOnly&) = delete;
    KnownOnly& operator=(const KnownOnly&) = delete;

   private:
    Lifting& lifting_;
  };
  bool knows_only() const { return known_only_ > 0; }
  // Embedding alone; nullopt when no known instance has this block.
  std::optional<Lifted> find(const Request& request) const;

  // Makes a sum known under another request too: its terms are `factor` times the view of all of
  // the sum's name, whose dimensions are the request's.
  void remember_as(const Request& request, const Term& view, const Rational& factor);
  // The view of a name whose sum is the request's: one that was lifted or remembered so.
  std::optional<Term> find_remembered(const Request& request) const;

  // The layout over operand p of the instance behind `atom`, for a layout over `atom` itself;
  // nullopt if a digit of the layout straddles labels.
  std::optional<Layout> trace(AtomId atom, const Layout& layout, size_t operand) const;

  // A name (or any kCombine atom) replaced by its definition; nullopt when the term is not one, or
  // when a coefficient leaves 64 bits.
  std::optional<std::vector<Term>> unfold(const Term& term) const;

 private:
  std::optional<Lifted> embed(const Request& request, const Instance& instance) const;
  // kExact: the block as it is, for the rare one whose digits do not nest in its own extension.
  enum class Reach { kExtended, kExact };
  int32_t extend(const Request& request, Reach reach);
  DType output_dtype(const Request& request) const;
  // Labels that the instance's output leaves open to boxes. Remembers those that it does not.
  std::vector<LabelId> hidden_labels(const Instance& instance);

  // A sum that has a name, in other terms: `sum` as an instance with that name as its output.
  struct Remembered {
    Instance sum;
    Rational factor;  // of the sum in these terms: the name is 1 / factor times it
  };

  Universe universe_;
  mutable std::vector<bool> unwritten_;  // of the first atoms, as far as they were asked for
  mutable std::vector<Sign> signs_;      // of the first atoms, as far as they were asked for
  std::unordered_map<std::string, std::vector<int32_t>> index_;          // request key -> instances
  std::unordered_map<std::string, std::vector<Remembered>> remembered_;  // by request key
  // Labels, sorted, that an atom is made of several sums over: no box on one has a meaning there.
  std::unordered_map<AtomId, std::vector<LabelId>> closed_labels_;
  std::unordered_map<AtomId, AtomId> one_hots_;
  Intervals index_values(AtomId ids, const Layout* where) const;  // nullptr: of all
  struct IndexValues {
    Layout where;
    Intervals values;
  };
  std::unordered_map<AtomId, std::vector<IndexValues>> index_values_;
  std::unordered_map<AtomId, std::pair<AtomId, Rational>> equal_;
  std::set<AtomId> kept_;
  Solver solver_;
  bool sequential_ = true;
  int known_only_ = 0;
  bool random_agrees_ = true;
  std::map<std::pair<std::string, int32_t>, Value> drawn_;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
};

// The digits (stride, radix) of a summed label that a block takes, as restrictions; nullopt when
// they do not nest. first: label value at coordinate 0; steps: (size, multiple) of each digit.
std::optional<std::vector<Restriction>> take_digits(LabelId label, Int label_size, Int first,
                                                    Modes steps, Restriction::Kind kind);

}  // namespace assay
