#include "tests/support/certificate_edits.h"

#include <algorithm>
#include <map>

namespace assay::test {
namespace {

constexpr Rank kSequential = -1;

std::vector<Value>& claims(Replay& replay, Rank rank) {
  return rank == kSequential ? replay.certificate.sequential
                             : replay.certificate.ranks[static_cast<size_t>(rank)];
}

bool is_constant(const Atom& atom) {
  return atom.kind == Atom::Kind::kOne || atom.kind == Atom::Kind::kInfinity ||
         atom.kind == Atom::Kind::kNan;
}

bool is_unknown(const Atom& atom) {
  return atom.kind == Atom::Kind::kUninit || atom.kind == Atom::Kind::kRandom ||
         (atom.kind == Atom::Kind::kInput && atom.tensor == kNone);
}

int64_t last_address(const Layout& layout) {
  int64_t last = layout.offset;
  for (const auto& dim : layout.dims)
    for (const Mode& mode : dim) last += (mode.size - 1) * mode.stride;
  return last;
}

class Enumerator {
 public:
  explicit Enumerator(const Replay& replay)
      : replay_(replay), universe_(replay.certificate.universe) {}

  std::vector<CertificateEdit> run(size_t most) {
    over_claims(kSequential, replay_.certificate.sequential);
    for (size_t rank = 0; rank < replay_.ranks.size(); ++rank)
      over_claims(static_cast<Rank>(rank), replay_.certificate.ranks[rank]);
    over_ranks();
    over_collectives();
    over_relations();
    std::vector<CertificateEdit> chosen;
    for (const EditKind kind : kEditKinds) {
      std::vector<CertificateEdit>& all = edits_[kind];
      const size_t step = std::max<size_t>(1, all.size() / most);
      for (size_t i = 0, taken = 0; i < all.size() && taken < most; i += step, ++taken)
        chosen.push_back(std::move(all[i]));
    }
    return chosen;
  }

 private:
  using TermEdit = std::function<void(Term&)>;
  using TileEdit = std::function<void(Tile&)>;

  struct Place {
    Rank rank;
    size_t op;
    size_t tile;
  };

  void add(EditKind kind, std::string what, std::function<void(Replay&)> apply) {
    edits_[kind].push_back({kind, std::move(what), std::move(apply)});
  }

  void add_tile(EditKind kind, const Place& at, const std::string& what, TileEdit edit) {
    const std::string where =
        at.rank == kSequential ? "sequential" : "rank " + std::to_string(at.rank);
    add(kind,
        where + ", operator " + std::to_string(at.op) + ", tile " + std::to_string(at.tile) + ": " +
            what,
        [at, edit](Replay& replay) { edit(claims(replay, at.rank)[at.op].tiles[at.tile]); });
  }

  const Atom& atom(AtomId id) const { return universe_.atoms[static_cast<size_t>(id)]; }

  const Instance* instance(AtomId id) const {
    return atom(id).kind == Atom::Kind::kInstance
               ? &universe_.instances[static_cast<size_t>(atom(id).instance)]
               : nullptr;
  }

  // Different addresses are different elements: no label that nothing reads.
  bool every_label_is_read(AtomId id) {
    const Instance* made = instance(id);
    if (made == nullptr) return true;
    if (const auto known = read_.find(id); known != read_.end()) return known->second;
    const auto unread = [](const InstanceLabel& label) {
      return label.tag == InstanceLabel::Tag::kParallel && label.size > 1 &&
             std::all_of(label.strides.begin(), label.strides.end(),
                         [](int64_t s) { return s == 0; });
    };
    return read_[id] = std::none_of(made->labels.begin(), made->labels.end(), unread) &&
                       std::all_of(made->operands.begin(), made->operands.end(),
                                   [&](const Instance::Operand& operand) {
                                     return every_label_is_read(operand.atom);
                                   });
  }

  void over_claims(Rank rank, const std::vector<Value>& values) {
    for (size_t op = 0; op < values.size(); ++op) {
      const Shape& shape = values[op].shape;
      if (std::find(shape.begin(), shape.end(), 0) != shape.end()) continue;
      for (size_t tile = 0; tile < values[op].tiles.size(); ++tile) {
        const Place at{rank, op, tile};
        const Tile& of = values[op].tiles[tile];
        for (size_t t = 0; t < of.terms.size(); ++t)
          if (!is_unknown(atom(of.terms[t].atom))) over_term(at, t, of.terms[t]);
        if (!of.integer.empty()) over_pieces(at, of.integer[0]);
        over_tile_pairs(at, values[op]);
      }
    }
  }

  void over_term(const Place& at, size_t t, const Term& term) {
    const auto edit_term = [&](EditKind kind, const std::string& what, const TermEdit& edit) {
      add_tile(kind, at, what, [t, edit](Tile& tile) { edit(tile.terms[t]); });
    };
    if (atom(term.atom).kind != Atom::Kind::kNan)
      edit_term(EditKind::kCoefficient, "negated", [](Term& of) { of.coef = -of.coef; });
    if (!is_constant(atom(term.atom))) {
      edit_term(EditKind::kCoefficient, "doubled",
                [](Term& of) { of.coef = of.coef * Rational(2); });
      if (every_label_is_read(term.atom)) over_offsets(term, edit_term);
      over_dimensions(term, edit_term);
      over_atoms(term, edit_term);
    }
    for (size_t r = 0; r < term.restrictions.size(); ++r)
      if (term.restrictions[r].kind != Restriction::Kind::kGuard)
        over_box(r, term.restrictions[r], edit_term);
  }

  template <class Add>
  void over_offsets(const Term& term, const Add& edit_term) {
    if (last_address(term.layout) + 1 < atom(term.atom).size)
      edit_term(EditKind::kOffset, "one element later", [](Term& of) { ++of.layout.offset; });
    if (term.layout.offset > 0)
      edit_term(EditKind::kOffset, "one element earlier", [](Term& of) { --of.layout.offset; });
  }

  // Exchanging two dimensions of equal extent reads a transposed view.
  template <class Add>
  void over_dimensions(const Term& term, const Add& edit_term) {
    const auto extent = [](const std::vector<Mode>& dim) {
      int64_t size = 1;
      for (const Mode& mode : dim) size *= mode.size;
      return size;
    };
    if (!every_label_is_read(term.atom)) return;
    const auto& dims = term.layout.dims;
    for (size_t a = 0; a < dims.size(); ++a)
      for (size_t b = a + 1; b < dims.size(); ++b)
        if (dims[a] != dims[b] && extent(dims[a]) == extent(dims[b]))
          edit_term(EditKind::kOrder, "dimensions exchanged",
                    [a, b](Term& of) { std::swap(of.layout.dims[a], of.layout.dims[b]); });
  }

  template <class Add>
  void over_atoms(const Term& term, const Add& edit_term) const {
    const Instance* made = instance(term.atom);
    if (made != nullptr &&
        (made->kind == Instance::Kind::kCombine || made->kind == Instance::Kind::kCat))
      return;
    if (!term.restrictions.empty()) return;
    for (size_t other = 0; other < universe_.atoms.size(); ++other) {
      const Atom& input = universe_.atoms[other];
      const auto id = static_cast<AtomId>(other);
      if (id == term.atom || input.kind != Atom::Kind::kInput || input.tensor == kNone ||
          !input.hidden.empty() || last_address(term.layout) >= input.size ||
          is_floating(input.dtype) != is_floating(atom(term.atom).dtype))
        continue;
      edit_term(EditKind::kAtom, "atom " + std::to_string(other) + " instead",
                [id](Term& of) { of.atom = id; });
    }
  }

  template <class Add>
  static void over_box(size_t r, const Restriction& box, const Add& edit_term) {
    const auto whole = [&](const std::vector<Interval>& in) {
      return in.size() == 1 && in[0].lo == 0 && in[0].hi == box.radix;
    };
    for (size_t i = 0; i < box.intervals.size(); ++i) {
      const int64_t before = i == 0 ? -1 : box.intervals[i - 1].hi;
      const int64_t after = i + 1 == box.intervals.size() ? box.radix + 1 : box.intervals[i + 1].lo;
      for (const auto& [low, high] :
           {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, 1}}) {
        std::vector<Interval> moved = box.intervals;
        moved[i].lo += low;
        moved[i].hi += high;
        if (moved[i].lo <= before || moved[i].hi >= after || moved[i].lo >= moved[i].hi ||
            whole(moved))
          continue;
        edit_term(EditKind::kBox, "a box with moved bounds",
                  [r, moved](Term& of) { of.restrictions[r].intervals = moved; });
      }
    }
    std::vector<Interval> complement;
    int64_t end = 0;
    for (const Interval& in : box.intervals) {
      if (in.lo > end) complement.push_back({end, in.lo});
      end = in.hi;
    }
    if (end < box.radix) complement.push_back({end, box.radix});
    if (!complement.empty())
      edit_term(EditKind::kBox, "the other part",
                [r, complement](Term& of) { of.restrictions[r].intervals = complement; });
    edit_term(EditKind::kBox, "no box", [r](Term& of) {
      of.restrictions.erase(of.restrictions.begin() + static_cast<ptrdiff_t>(r));
    });
  }

  void over_pieces(const Place& at, const PiecewiseAffine& map) {
    if (atom(map.atom).kind != Atom::Kind::kInput || is_bool(atom(map.atom).dtype)) return;
    for (size_t p = 0; p < map.pieces.size(); ++p)
      add_tile(EditKind::kOffset, at, "a piece one more",
               [p](Tile& tile) { ++tile.integer[0].pieces[p].b; });
  }

  void over_tile_pairs(const Place& at, const Value& value) {
    const auto extents = [&](size_t tile) {
      Shape result(value.shape.size());
      for (size_t d = value.shape.size(); d-- > 0;) {
        const size_t cells = value.cuts[d].size() - 1;
        result[d] = value.cuts[d][tile % cells + 1] - value.cuts[d][tile % cells];
        tile /= cells;
      }
      return result;
    };
    for (size_t other = at.tile + 1; other < value.tiles.size(); ++other) {
      if (value.tiles[at.tile] == value.tiles[other] || extents(at.tile) != extents(other))
        continue;
      add(EditKind::kOrder, "tiles exchanged", [at, other](Replay& replay) {
        std::vector<Tile>& tiles = claims(replay, at.rank)[at.op].tiles;
        std::swap(tiles[at.tile], tiles[other]);
      });
    }
  }

  bool knows(const Value& value) const {
    return std::all_of(value.tiles.begin(), value.tiles.end(), [&](const Tile& tile) {
      return std::all_of(tile.terms.begin(), tile.terms.end(),
                         [&](const Term& term) { return !is_unknown(atom(term.atom)); });
    });
  }

  bool differ(const Value& a, const Value& b) const {
    return a.shape == b.shape && !(a == b) && knows(a) && knows(b);
  }

  void over_ranks() {
    const auto& ranks = replay_.certificate.ranks;
    for (size_t from = 0; from < ranks.size(); ++from)
      for (size_t to = 0; to < ranks.size(); ++to)
        for (size_t op = 0; op < std::min(ranks[from].size(), ranks[to].size()); ++op) {
          if (from == to || !differ(ranks[from][op], ranks[to][op])) continue;
          add(EditKind::kRank,
              "operator " + std::to_string(op) + " of rank " + std::to_string(to) + " as of rank " +
                  std::to_string(from),
              [from, to, op](Replay& replay) {
                replay.certificate.ranks[to][op] = replay.certificate.ranks[from][op];
              });
        }
  }

  const Value* tensor_claim(const CleanExpr& leaf) const {
    if (leaf.rank < 0 || static_cast<size_t>(leaf.rank) >= replay_.ranks.size()) return nullptr;
    const auto rank = static_cast<size_t>(leaf.rank);
    const TensorId tensor = replay_.refinement.ranks[rank].find(leaf.name);
    if (tensor == kNone) return nullptr;
    const CoreId op = replay_.ranks[rank].value_of[static_cast<size_t>(tensor)];
    return &replay_.certificate.ranks[rank][static_cast<size_t>(op)];
  }

  void over_relations() {
    for (size_t r = 0; r < replay_.certificate.relations.size(); ++r) {
      const auto& replicas = replay_.certificate.relations[r].replicas;
      for (size_t i = 0; i < replicas.size(); ++i) {
        over_leaves(r, i, replicas[i], {});
        over_concats(r, i, replicas[i], {});
      }
    }
  }

  static CleanExpr& at_path(CleanExpr& expr, const std::vector<size_t>& path) {
    CleanExpr* at = &expr;
    for (const size_t step : path) at = &at->operands[step];
    return *at;
  }

  void edit_relation(EditKind kind, size_t relation, size_t replica,
                     const std::vector<size_t>& path, const CleanExpr& with) {
    add(kind,
        "relation of " + replay_.certificate.relations[relation].tensor + ": " + to_string(with) +
            " instead",
        [=](Replay& replay) {
          at_path(replay.certificate.relations[relation].replicas[replica], path) = with;
        });
  }

  void over_leaves(size_t relation, size_t replica, const CleanExpr& expr,
                   std::vector<size_t> path) {
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      path.push_back(i);
      over_leaves(relation, replica, expr.operands[i], path);
      path.pop_back();
    }
    if (expr.kind != CleanExpr::Kind::kTensor) return;
    const Value* own = tensor_claim(expr);
    for (size_t rank = 0; rank < replay_.ranks.size(); ++rank) {
      CleanExpr other = expr;
      other.rank = static_cast<Rank>(rank);
      const Value* claim = tensor_claim(other);
      if (own != nullptr && claim != nullptr && differ(*own, *claim))
        edit_relation(EditKind::kRank, relation, replica, path, other);
    }
  }

  void over_concats(size_t relation, size_t replica, const CleanExpr& expr,
                    std::vector<size_t> path) {
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      path.push_back(i);
      over_concats(relation, replica, expr.operands[i], path);
      path.pop_back();
      if (expr.kind != CleanExpr::Kind::kConcat || i == 0) continue;
      const CleanExpr &a = expr.operands[i - 1], &b = expr.operands[i];
      if (a.kind != CleanExpr::Kind::kTensor || b.kind != CleanExpr::Kind::kTensor) continue;
      const Value *left = tensor_claim(a), *right = tensor_claim(b);
      if (left == nullptr || right == nullptr || !differ(*left, *right)) continue;
      CleanExpr swapped = expr;
      std::swap(swapped.operands[i - 1], swapped.operands[i]);
      edit_relation(EditKind::kOrder, relation, replica, path, swapped);
    }
  }

  void over_collectives() {
    for (size_t rank = 0; rank < replay_.ranks.size(); ++rank)
      for (size_t op = 0; op < replay_.ranks[rank].ops.size(); ++op)
        if (replay_.ranks[rank].ops[op].prim == Prim::kCollective) {
          one_sided(rank, op);
          if (static_cast<Rank>(rank) == collective_at(rank, op).ranks.front())
            joint(op, collective_at(rank, op));
        }
  }

  const Collective& collective_at(size_t rank, size_t op) const {
    const CoreProgram& program = replay_.ranks[rank];
    return program.collectives[static_cast<size_t>(program.ops[op].collective)];
  }

  static Collective& collective_of(Replay& replay, size_t rank, size_t op) {
    CoreProgram& program = replay.ranks[rank];
    return program.collectives[static_cast<size_t>(program.ops[op].collective)];
  }

  static std::vector<Rank>& members(Replay& replay, size_t rank, size_t op) {
    return collective_of(replay, rank, op).ranks;
  }

  using CollectiveEdit = std::function<void(Collective&)>;

  // What else an all-reduce by sum could be; none of them gives the sum of operands that are not
  // zero.
  static std::vector<std::pair<std::string, CollectiveEdit>> other_collectives(
      const Collective& collective) {
    std::vector<std::pair<std::string, CollectiveEdit>> others;
    if (collective.kind != Collective::Kind::kAllReduce ||
        collective.reduce != Collective::Reduce::kSum || collective.ranks.size() < 2)
      return others;
    for (const auto& [name, reduce] : {std::pair{"an average", Collective::Reduce::kAvg},
                                       {"a maximum", Collective::Reduce::kMax},
                                       {"a minimum", Collective::Reduce::kMin},
                                       {"a product", Collective::Reduce::kProduct}})
      others.emplace_back(name, [reduce = reduce](Collective& of) { of.reduce = reduce; });
    for (const Rank source : collective.ranks)
      others.emplace_back("a broadcast from rank " + std::to_string(source),
                          [source](Collective& of) {
                            of.kind = Collective::Kind::kBroadcast;
                            of.source = source;
                          });
    return others;
  }

  // One program says something else than its peers.
  void one_sided(size_t rank, size_t op) {
    const std::string where = "rank " + std::to_string(rank) + ", operator " + std::to_string(op);
    for (const Rank leaves : collective_at(rank, op).ranks)
      if (leaves != static_cast<Rank>(rank))
        add(EditKind::kGroup, where + ": without rank " + std::to_string(leaves),
            [=](Replay& replay) { std::erase(members(replay, rank, op), leaves); });
    for (const auto& [name, edit] : other_collectives(collective_at(rank, op)))
      add(EditKind::kGroup, where + ": " + name,
          [=, edit = edit](Replay& replay) { edit(collective_of(replay, rank, op)); });
    if (collective_at(rank, op).ranks.size() > 1)
      add(EditKind::kOrder, where + ": members in reverse order", [=](Replay& replay) {
        std::reverse(members(replay, rank, op).begin(), members(replay, rank, op).end());
      });
  }

  // All programs agree on it, where they have the collective at the same operator.
  void joint(size_t op, const Collective& collective) {
    for (const Rank member : collective.ranks) {
      const CoreProgram& program = replay_.ranks[static_cast<size_t>(member)];
      if (op >= program.ops.size() || program.ops[op].prim != Prim::kCollective ||
          collective_at(static_cast<size_t>(member), op).ranks != collective.ranks)
        return;
    }
    const std::vector<Rank> ranks = collective.ranks;
    const auto operand = [&](Rank rank) -> const Value& {
      const auto r = static_cast<size_t>(rank);
      return replay_.certificate
          .ranks[r][static_cast<size_t>(replay_.ranks[r].ops[op].operands[0])];
    };
    const auto counts = [&](Rank rank) {
      const Value& value = operand(rank);
      return std::any_of(value.tiles.begin(), value.tiles.end(), [](const Tile& tile) {
        return !tile.terms.empty() || !tile.integer.empty();
      });
    };
    const auto others = other_collectives(collective);
    const bool sums = !others.empty() &&
                      knows(replay_.certificate.ranks[static_cast<size_t>(ranks.front())][op]) &&
                      std::all_of(ranks.begin(), ranks.end(), counts);
    if (sums) {
      for (const auto& [name, edit] : others)
        add(EditKind::kGroup, "operator " + std::to_string(op) + " of all: " + name,
            [=, edit = edit](Replay& replay) {
              for (const Rank rank : ranks)
                edit(collective_of(replay, static_cast<size_t>(rank), op));
            });
      for (const Rank leaves : ranks) {
        add(EditKind::kGroup,
            "operator " + std::to_string(op) + " of all: without rank " + std::to_string(leaves),
            [=](Replay& replay) {
              for (const Rank rank : ranks) {
                std::vector<Rank>& group = members(replay, static_cast<size_t>(rank), op);
                if (rank == leaves)
                  group = {leaves};
                else
                  std::erase(group, leaves);
              }
            });
        if (ranks.size() == 2) break;  // the other one is left alone as well
      }
    }
    if (collective.kind != Collective::Kind::kAllGather ||
        !differ(operand(ranks.front()), operand(ranks.back())))
      return;
    add(EditKind::kOrder, "operator " + std::to_string(op) + " of all: members in reverse order",
        [=](Replay& replay) {
          for (const Rank rank : ranks) {
            std::vector<Rank>& group = members(replay, static_cast<size_t>(rank), op);
            std::reverse(group.begin(), group.end());
          }
        });
  }

  const Replay& replay_;
  const Universe& universe_;
  std::map<AtomId, bool> read_;
  std::map<EditKind, std::vector<CertificateEdit>> edits_;
};

}  // namespace

const char* to_string(EditKind kind) {
  switch (kind) {
    case EditKind::kBox:
      return "box";
    case EditKind::kOffset:
      return "offset";
    case EditKind::kRank:
      return "rank";
    case EditKind::kGroup:
      return "group";
    case EditKind::kOrder:
      return "order";
    case EditKind::kCoefficient:
      return "coefficient";
    case EditKind::kAtom:
      return "atom";
  }
  return "";
}

std::vector<CertificateEdit> certificate_edits(const Replay& replay, size_t most) {
  return Enumerator(replay).run(most);
}

EditOutcome check_edits(const Replay& replay, size_t most) {
  EditOutcome outcome;
  for (const CertificateEdit& edit : certificate_edits(replay, most)) {
    Replay edited = replay;
    edit.apply(edited);
    if (edited.check().accepted)
      outcome.accepted.push_back(std::string(to_string(edit.kind)) + ": " + edit.what);
    else
      ++outcome.rejected[edit.kind];
  }
  return outcome;
}

}  // namespace assay::test
