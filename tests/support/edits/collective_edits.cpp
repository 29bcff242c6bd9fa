// Edits of what the ranks' programs say about a collective: who takes part, and what it computes.
#include <algorithm>
#include <utility>

#include "tests/support/edits/edit_list.h"

namespace assay::test {
namespace {

struct Other {
  std::string name;
  std::function<void(Collective&)> apply;
};

// What else a sum over ranks could be: of operands that are not zero, none of them gives the sum.
std::vector<Other> other_sums(const Collective& collective) {
  std::vector<Other> others;
  const bool all_reduce = collective.kind == Collective::Kind::kAllReduce;
  if ((!all_reduce && collective.kind != Collective::Kind::kReduceScatter) ||
      collective.reduce != Collective::Reduce::kSum || collective.ranks.size() < 2)
    return others;
  for (const auto& [name, reduce] : {std::pair{"an average", Collective::Reduce::kAvg},
                                     {"a maximum", Collective::Reduce::kMax},
                                     {"a minimum", Collective::Reduce::kMin},
                                     {"a product", Collective::Reduce::kProduct}})
    others.push_back({name, [reduce = reduce](Collective& of) { of.reduce = reduce; }});
  if (!all_reduce) return others;
  for (const Rank source : collective.ranks)
    others.push_back({"a broadcast from rank " + std::to_string(source), [source](Collective& of) {
                        of.kind = Collective::Kind::kBroadcast;
                        of.source = source;
                      }});
  return others;
}

// The operators of a program that are collectives.
std::vector<size_t> collectives_of(const CoreProgram& program) {
  std::vector<size_t> ops;
  for (size_t op = 0; op < program.ops.size(); ++op)
    if (program.ops[op].prim == Prim::kCollective) ops.push_back(op);
  return ops;
}

// The ranks' collective of that number: of other operators the ranks may not have as many.
class CollectiveEdits {
 public:
  CollectiveEdits(EditList& list, size_t number) : list_(list), number_(number) {}

  void of_rank(Rank rank) {
    const Collective& collective = at(rank);
    const std::string where =
        "rank " + std::to_string(rank) + ", collective " + std::to_string(number_);
    for (const Rank leaves : collective.ranks)
      if (leaves != rank)
        edit(EditKind::kGroup, where + ": without rank " + std::to_string(leaves), {rank},
             [leaves](Rank, Collective& of) { std::erase(of.ranks, leaves); });
    for (const Other& other : other_sums(collective))
      edit(EditKind::kGroup, where + ": " + other.name, {rank},
           [apply = other.apply](Rank, Collective& of) { apply(of); });
    if (collective.ranks.size() > 1)
      edit(EditKind::kOrder, where + ": members in reverse order", {rank}, reverse);
  }

  // Two members agree neither with each other nor with what the program was.
  void of_pairs(const std::vector<Rank>& ranks) {
    const std::vector<Other> others = other_sums(at(ranks.front()));
    for (const Other& one : others)
      for (const Other& two : others)
        if (one.name != two.name)
          edit(EditKind::kGroup,
               where_all() + ": " + one.name + " at the first rank, " + two.name + " at the last",
               {ranks.front(), ranks.back()},
               [first = ranks.front(), one = one.apply, two = two.apply](
                   Rank rank, Collective& of) { rank == first ? one(of) : two(of); });
  }

  // All members agree on it.
  void of_all(const std::vector<Rank>& ranks) {
    const Collective& collective = at(ranks.front());
    const std::vector<Other> others = other_sums(collective);
    const bool sums =
        !others.empty() && list_.knows(claim(ranks.front())) &&
        std::all_of(ranks.begin(), ranks.end(), [&](Rank rank) { return counts(operand(rank)); });
    if (sums) {
      for (const Other& other : others)
        edit(EditKind::kGroup, where_all() + ": " + other.name, ranks,
             [apply = other.apply](Rank, Collective& of) { apply(of); });
      if (collective.kind == Collective::Kind::kAllReduce) smaller_groups(ranks);
    }
    if (order_matters(collective.kind, ranks.front(), ranks.back()))
      edit(EditKind::kOrder, where_all() + ": members in reverse order", ranks, reverse);
  }

  bool same_for(const std::vector<Rank>& ranks) const {
    return std::all_of(ranks.begin(), ranks.end(), [&](Rank rank) {
      return number_ < collectives_of(program(rank)).size() && at(rank).ranks == ranks;
    });
  }

  const Collective& at(Rank rank) const {
    return program(rank).collectives[static_cast<size_t>(op(rank).collective)];
  }

 private:
  const CoreProgram& program(Rank rank) const {
    return list_.replay().ranks[static_cast<size_t>(rank)];
  }
  size_t place(Rank rank) const { return collectives_of(program(rank))[number_]; }
  const CoreOp& op(Rank rank) const { return program(rank).ops[place(rank)]; }
  const Value& claim(Rank rank) const { return claims(list_.replay(), rank)[place(rank)]; }

  static void reverse(Rank, Collective& of) { std::reverse(of.ranks.begin(), of.ranks.end()); }

  static bool counts(const Value& value) {
    return std::any_of(value.tiles.begin(), value.tiles.end(), [](const Tile& tile) {
      return !tile.terms.empty() || !tile.integer.empty();
    });
  }

  bool order_matters(Collective::Kind kind, Rank first, Rank last) const {
    if (kind == Collective::Kind::kAllGather) return list_.differ(operand(first), operand(last));
    return kind == Collective::Kind::kReduceScatter && list_.differ(claim(first), claim(last));
  }

  std::string where_all() const { return "collective " + std::to_string(number_) + " of all"; }

  const Value& operand(Rank rank) const {
    return claims(list_.replay(), rank)[static_cast<size_t>(op(rank).operands[0])];
  }

  template <class Edit>
  void edit(EditKind kind, std::string what, std::vector<Rank> ranks, Edit change) {
    std::vector<std::pair<Rank, size_t>> collectives;
    for (const Rank rank : ranks)
      collectives.emplace_back(rank, static_cast<size_t>(op(rank).collective));
    list_.add(kind, std::move(what),
              [collectives = std::move(collectives), change](Replay& replay) {
                for (const auto& [rank, collective] : collectives)
                  change(rank, replay.ranks[static_cast<size_t>(rank)].collectives[collective]);
              });
  }

  // A member reduces alone.
  void smaller_groups(const std::vector<Rank>& ranks) {
    for (const Rank leaves : ranks) {
      edit(EditKind::kGroup, where_all() + ": without rank " + std::to_string(leaves), ranks,
           [leaves](Rank rank, Collective& of) {
             if (rank == leaves)
               of.ranks = {leaves};
             else
               std::erase(of.ranks, leaves);
           });
      if (ranks.size() == 2) break;  // the other one is left alone as well
    }
  }

  EditList& list_;
  size_t number_;
};

}  // namespace

void add_collective_edits(EditList& list) {
  const std::vector<CoreProgram>& programs = list.replay().ranks;
  for (size_t rank = 0; rank < programs.size(); ++rank)
    for (size_t number = 0; number < collectives_of(programs[rank]).size(); ++number) {
      CollectiveEdits edits(list, number);
      edits.of_rank(static_cast<Rank>(rank));
      const std::vector<Rank>& members = edits.at(static_cast<Rank>(rank)).ranks;
      if (static_cast<Rank>(rank) != members.front() || !edits.same_for(members)) continue;
      edits.of_pairs(members);
      edits.of_all(members);
    }
}

}  // namespace assay::test
