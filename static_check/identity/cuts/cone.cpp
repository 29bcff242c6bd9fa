#include "static_check/identity/cuts/cone.h"

#include <map>

#include "shared_ir/collective.h"

namespace assay::identity {
namespace {

class Marking {
 public:
  Marking(const Problem& problem, const Cuts& cuts, Cone& cone)
      : problem_(problem), cuts_(cuts), cone_(cone) {
    cone_.sequential.resize(problem.sequential_program.ops.size());
    for (const CoreProgram& program : problem.rank_programs)
      cone_.ranks.emplace_back(program.ops.size());
    find_members();
  }

  void ask(Rank rank, CoreId id) {
    std::vector<bool>::reference mark = of(rank)[static_cast<size_t>(id)];
    changed_ = changed_ || !mark;
    mark = true;
  }

  void close() {
    do {
      changed_ = false;
      for (size_t r = 0; r < cone_.ranks.size(); ++r) ask_operands(static_cast<Rank>(r));
      ask_operands(kNone);
    } while (changed_);
  }

 private:
  using Call = std::pair<Rank, CoreId>;

  std::vector<bool>& of(Rank rank) {
    return rank == kNone ? cone_.sequential : cone_.ranks[static_cast<size_t>(rank)];
  }
  const CoreProgram& program(Rank rank) const {
    return rank == kNone ? problem_.sequential_program
                         : problem_.rank_programs[static_cast<size_t>(rank)];
  }

  // Those of one stream meet in the order in which each member calls them.
  void find_members() {
    std::map<std::pair<GroupStream, size_t>, std::vector<Call>> meetings;
    for (size_t r = 0; r < problem_.rank_programs.size(); ++r) {
      const CoreProgram& calls = problem_.rank_programs[r];
      std::map<GroupStream, size_t> count;
      for (size_t i = 0; i < calls.ops.size(); ++i) {
        if (calls.ops[i].prim != Prim::kCollective) continue;
        const auto& what = calls.collectives[static_cast<size_t>(calls.ops[i].collective)];
        const GroupStream stream = stream_of(what);
        meetings[{stream, count[stream]++}].emplace_back(static_cast<Rank>(r),
                                                         static_cast<CoreId>(i));
      }
    }
    for (const auto& [meeting, calls] : meetings)
      for (const Call& call : calls) members_[call] = calls;
  }

  void call(const Call& call) {
    if (call.first == kNone) {
      cone_.called.insert(call);
      return;
    }
    for (const Call& member : members_.at(call)) {
      cone_.called.insert(member);
      ask(member.first, member.second);
    }
  }

  void ask_operands(Rank rank) {
    const CoreProgram& ops = program(rank);
    for (size_t i = ops.ops.size(); i-- > 0;) {
      if (!of(rank)[i]) continue;
      const auto id = static_cast<CoreId>(i);
      const Cuts::Part* cut = rank == kNone ? nullptr : cuts_.find(rank, id);
      if (cut != nullptr) ask(kNone, cut->of);
      const bool given = cut != nullptr || (rank == kNone && cuts_.free_sign(id).has_value());
      const bool collective = ops.ops[i].prim == Prim::kCollective;
      if (collective && !given) call({rank, id});
      if (given && !(collective && cone_.calls(rank, id))) continue;
      for (const CoreId operand : ops.ops[i].operands) ask(rank, operand);
    }
  }

  const Problem& problem_;
  const Cuts& cuts_;
  Cone& cone_;
  std::map<Call, std::vector<Call>> members_;
  bool changed_ = false;
};

int64_t count_marked(const CoreProgram& program, const std::vector<bool>& marked) {
  int64_t elements = 0;
  for (size_t i = 0; i < marked.size(); ++i)
    if (marked[i]) elements += element_count(program.ops[i].shape);
  return elements;
}

}  // namespace

Cone cone_of(const Problem& problem, const Cuts& cuts, const std::vector<Equation>& equations) {
  Cone cone;
  Marking marking(problem, cuts, cone);
  const auto mark = [&](const CleanExpr& leaf, bool of_specification) {
    const CoreId id = operator_of_leaf(problem, leaf, of_specification);
    if (id != kNone) marking.ask(of_specification ? kNone : leaf.rank, id);
  };
  for (const auto& [sequential, replicas] : equations) {
    for_each_leaf(sequential, [&](const CleanExpr& leaf) { mark(leaf, true); });
    for (const CleanExpr& replica : replicas)
      for_each_leaf(replica, [&](const CleanExpr& leaf) { mark(leaf, false); });
  }
  marking.close();
  cone.elements = count_marked(problem.sequential_program, cone.sequential);
  for (size_t r = 0; r < cone.ranks.size(); ++r)
    cone.elements += count_marked(problem.rank_programs[r], cone.ranks[r]);
  return cone;
}

}  // namespace assay::identity
