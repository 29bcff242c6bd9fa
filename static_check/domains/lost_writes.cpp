#include "static_check/domains/lost_writes.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/base/error.h"
#include "shared_ir/reference/assumed_indices.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/reference.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/domains/trials/input_numbers.h"

namespace assay {
namespace {

// Elements that are computed for one draw.
constexpr Int kMostDrawn = Int{1} << 21;

constexpr char kHint[] =
    "add values that meet (index_add, scatter_add, accumulate=True), write at places "
    "that a sort gave, or write so in the specification too, where no index occurs "
    "twice";

// The indices of a write of the specification, on draws of its inputs.
class Places {
 public:
  Places(const Problem& problem, const SingleWrite& write)
      : problem_(problem), write_(write), needed_(problem.sequential_program) {
    const CoreId last = *std::ranges::max_element(write.indices);
    needed_.ops.resize(static_cast<size_t>(last) + 1);
    cone_.resize(needed_.ops.size());
    for (const CoreId index : write.indices) cone_[static_cast<size_t>(index)] = true;
    for (size_t i = needed_.ops.size(); i-- > 0;) {
      CoreOp& op = needed_.ops[i];
      if (cone_[i]) {
        for (const CoreId operand : op.operands) cone_[static_cast<size_t>(operand)] = true;
        elements_ += element_count(op.shape);
      } else {
        op.prim = Prim::kUninit;
        op.operands.clear();
      }
    }
  }

  // There are more indices than places.
  bool are_too_few() const {
    Int places = 1;
    for (const Int rows : write_.rows)
      if (mul_overflow(places, rows, &places)) return false;
    return count() > places;
  }

  bool can_be_drawn() const {
    if (elements_ > kMostDrawn) return false;
    for (size_t i = 0; i < needed_.ops.size(); ++i) {
      const CoreOp& op = needed_.ops[i];
      if (!cone_[i]) continue;
      if (op.prim == Prim::kCollective || op.prim == Prim::kRandom || op.prim == Prim::kOpaque)
        return false;
    }
    return true;
  }

  // In all draws there were, and there were some. Integers that are inputs may be any, and in every
  // second draw are different ones: that they do not meet is the user's to know.
  bool always_meet() {
    bool any = false;
    for (size_t draw = 0; draw < 2 * InputNumbers::kDraws; ++draw) {
      problem_.lifting.check_deadline();
      try {
        if (!meet(draw / 2, draw % 2 == 1)) return false;
        any = true;
      } catch (const reference::NoNumbers&) {
        return false;
      } catch (const InputNumbers::Unknown&) {
        return false;
      }
    }
    return any;
  }

 private:
  Int count() const {
    return element_count(needed_.ops[static_cast<size_t>(write_.indices[0])].shape);
  }

  bool meet(size_t draw, bool distinct) {
    InputNumbers inputs(problem_.lifting, draw, distinct);
    const std::vector<CoreProgram> programs{needed_};
    const auto values = evaluate(programs, {[&](Rank, const CoreOp& op) {
                                              const auto id =
                                                  static_cast<size_t>(&op - programs[0].ops.data());
                                              return inputs.of(problem_.sequential.values[id]);
                                            },
                                            {}});
    return writes_a_place_twice(write_, values[0]);
  }

  const Problem& problem_;
  const SingleWrite& write_;
  CoreProgram needed_;  // what the indices need of the program, and nothing in place of the rest
  std::vector<bool> cone_;
  Int elements_ = 0;
};

}  // namespace

void refuse_lost_writes(const Problem& problem) {
  const Graph& sequential = problem.refinement.sequential;
  for (const SingleWrite& write : problem.sequential_program.single_writes) {
    const Node& node = sequential.nodes[static_cast<size_t>(write.node)];
    Places places(problem, write);
    const bool few = places.are_too_few();
    if (!few && !(places.can_be_drawn() && places.always_meet())) continue;
    throw UserError(
        node.source,
        fmt::format(
            "{}: {} is taken to write no element twice, and {}", sequential.name, node.op,
            few ? "there are more indices than places"
                : fmt::format("it does for all of {} draws of the inputs", InputNumbers::kDraws)),
        "which of the values that meet is kept is not said: add them up (index_add, "
        "scatter_add, accumulate=True)");
  }
  if (!problem.sequential_program.single_writes.empty()) return;
  for (size_t r = 0; r < problem.rank_programs.size(); ++r) {
    if (problem.rank_programs[r].single_writes.empty()) continue;
    const Graph& graph = problem.rank_graph(static_cast<Rank>(r));
    const Node& node =
        graph.nodes[static_cast<size_t>(problem.rank_programs[r].single_writes.front().node)];
    throw UserError(node.source,
                    graph.name + ": " + node.op +
                        " keeps one of the values that meet where its indices are equal, and the "
                        "specification has no such write",
                    kHint);
  }
}

}  // namespace assay
