// Both programs of a case on numbers of the identity test.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/reference/tensor.h"
#include "static_check/identity/cuts/cone.h"
#include "static_check/identity/functions.h"
#include "static_check/problem/problem.h"

namespace assay::identity {

using Tensor = reference::TensorOf<Number>;

// How many elements one evaluation computes, of the scope. Throws NotRepresented where it holds
// what has no residue, or what has none `by_cases`, or too much.
int64_t represented_elements(const Problem& problem, const Scope& scope, bool by_cases);

// What constants of the programs are of others.
std::map<double, HostConstant> host_constants_of(const Problem& problem);

// What integers of the inputs may be that are indices: by atom and address.
using IndexRanges = std::map<std::pair<uint64_t, uint64_t>, IndexRange>;

// An element of an equation in one case.
enum class Compared : uint8_t {
  kNoNumber,  // in the specification
  kEqual,
  kFreelyEqual,  // it depends on a root that is free (Cases::note_free_root)
  kFreelyOther   // so does it, and the sides differ
};

// One evaluation. What the inputs of both sides are of each other, their lifted values say.
class Evaluation {
 public:
  // Runs the programs, with logarithms as the algebra has them. Throws NotRepresented where a
  // number has no residue, and TimedOut.
  Evaluation(const Problem& problem, uint64_t seed, bool factored, Scope scope = {});
  // The same, once more with what inputs may be that the specification has for indices: what is
  // computed of one is what it is of each of its values. An index that the program computes may be
  // negative, and then counts from the end.
  static std::unique_ptr<Evaluation> by_indices(const Problem& problem, uint64_t seed,
                                                bool factored, Scope scope = {});
  // The same of a problem that is represented, by cases, which must outlive this; indices among the
  // inputs are drawn of their ranges. With `specification_alone` that is all that runs.
  Evaluation(const Problem& problem, uint64_t seed, Cases& cases, bool decide_sets,
             const IndexRanges& ranges, Scope scope = {}, bool specification_alone = false);

  // Of inputs that were not drawn.
  IndexRanges ranges() const;

  // Whether both are the same at every element, which is a number.
  bool equal(const CleanExpr& sequential, const CleanExpr& replica);
  // By cases: whether all are the same as the specification's wherever that is a number and no root
  // is free, and how each element came out. `bits`: a difference shows in 2^(-bits / 8) of the
  // cases at least.
  bool equal_where_defined(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                           std::vector<Compared>& elements, int& bits);
  // Whether what was evaluated of the specification is a number for all inputs.
  bool is_total() const { return is_total_; }
  // What each element of a tensor is told apart by, of the specification (kNone) or of a rank; none
  // where it has no value.
  std::vector<uint64_t> keys(Rank rank, TensorId tensor);
  // What constants of the programs were taken for.
  const std::set<std::string>& readings() const { return functions_.readings(); }

 private:
  friend class Side;

  struct NotRun {};
  Evaluation(const Problem& problem, uint64_t seed, bool factored, Scope scope, NotRun)
      : problem_(problem), algebra_(seed, nullptr, false, factored), scope_(scope) {}

  Tensor of_specification(const CleanExpr& expr);
  Tensor of_ranks(const CleanExpr& expr);
  void run_sequential();
  void run();
  Number drawn_element(const std::pair<uint64_t, uint64_t>& place, DType dtype);
  Tensor input(const Value& value, DType dtype);
  Number element(const Term& term, const std::vector<int64_t>& at, DType dtype);

  const Problem& problem_;
  Algebra algebra_;
  const Scope scope_;
  Functions functions_{algebra_, scope_.host_constants};
  const IndexRanges* index_ranges_ = nullptr;  // by cases
  bool by_indices_ = false, is_total_ = true;
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> integers_;  // inputs, by their residues
  std::vector<std::vector<Tensor>> sequential_, ranks_;         // by program, by operator
};

}  // namespace assay::identity
