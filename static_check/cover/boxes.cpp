// Putting pieces together: exact covers of a box by tiles (concat) and parts (sum).
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/restriction.h"
#include "static_check/cover/pieces.h"
#include "static_check/lift/arithmetic/parts.h"

namespace assay {

namespace {

struct Box {
  Shape start;
  Shape size;
};

bool inside(const Piece& piece, const Box& box) {
  for (size_t d = 0; d < box.start.size(); ++d) {
    if (piece.start[d] < box.start[d] ||
        piece.start[d] + piece.size[d] > box.start[d] + box.size[d])
      return false;
  }
  return true;
}

bool fills(const Piece& piece, const Box& box) {
  return piece.start == box.start && piece.size == box.size;
}

// Elements of the summed labels that a part takes, as a fraction of the whole.
double volume(const Piece& piece) {
  double result = 1;
  for (const Restriction& r : piece.restrictions) {
    double taken = 0;
    for (const Interval& interval : r.intervals)
      taken += static_cast<double>(interval.hi - interval.lo);
    result *= taken / static_cast<double>(r.radix);
  }
  return result;
}

class Cover {
 public:
  Cover(Lifting& lifting, const Term& target) : lifting_(lifting), target_(target) {}

  std::vector<CleanExpr> operator()(const Box& box, const std::vector<const Piece*>& pieces) {
    std::vector<CleanExpr> replicas;
    std::vector<Rank> ranks;
    std::vector<const Piece*> parts;
    for (const Piece* piece : pieces) {
      if (!fills(*piece, box)) continue;
      if (piece->restrictions == target_.restrictions) {
        if (std::find(ranks.begin(), ranks.end(), piece->rank) != ranks.end()) continue;
        ranks.push_back(piece->rank);
        replicas.push_back(piece->expr);
      } else {
        parts.push_back(piece);
      }
    }
    if (!replicas.empty()) return replicas;
    if (auto sums = sum(parts); !sums.empty()) return sums;
    return split(box, pieces);
  }

 private:
  // Parts of equal size that partition the sum; replicas of one part give replicas of the whole.
  std::vector<CleanExpr> sum(const std::vector<const Piece*>& parts) const {
    std::vector<double> volumes;
    for (const Piece* part : parts) volumes.push_back(volume(*part));
    std::sort(volumes.begin(), volumes.end(), std::greater<>());
    volumes.erase(std::unique(volumes.begin(), volumes.end()), volumes.end());
    for (double wanted : volumes) {
      std::vector<std::vector<const Piece*>> groups;  // per distinct part, its replicas
      for (const Piece* part : parts) {
        if (volume(*part) != wanted) continue;
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) {
          return g.front()->restrictions == part->restrictions;
        });
        if (group == groups.end()) {
          groups.push_back({part});
        } else if (std::none_of(group->begin(), group->end(),
                                [&](const Piece* p) { return p->rank == part->rank; })) {
          group->push_back(part);
        }
      }
      if (partitions(groups)) return zip_sum(groups);
    }
    return {};
  }

  bool partitions(const std::vector<std::vector<const Piece*>>& groups) const {
    std::vector<Term> terms;
    for (const auto& group : groups) {
      Term term = target_;
      term.restrictions = group.front()->restrictions;
      terms.push_back(std::move(term));
    }
    combine(terms);
    unite_parts(lifting_, terms);
    return terms.size() == 1 && terms[0] == target_;
  }

  static std::vector<CleanExpr> zip_sum(const std::vector<std::vector<const Piece*>>& groups) {
    size_t most = 0;
    for (const auto& group : groups) most = std::max(most, group.size());
    std::vector<CleanExpr> replicas;
    for (size_t k = 0; k < most; ++k) {
      std::vector<CleanExpr> operands;
      for (const auto& group : groups)
        operands.push_back(group[std::min(k, group.size() - 1)]->expr);
      replicas.push_back(make_sum(std::move(operands)));
    }
    return replicas;
  }

  // Cuts the box where a piece that starts at its corner ends, and covers both sides.
  std::vector<CleanExpr> split(const Box& box, const std::vector<const Piece*>& pieces) {
    for (size_t d = 0; d < box.size.size(); ++d) {
      std::vector<Int> cuts;
      for (const Piece* piece : pieces) {
        if (piece->start[d] == box.start[d] && piece->size[d] < box.size[d])
          cuts.push_back(piece->size[d]);
      }
      std::sort(cuts.begin(), cuts.end(), std::greater<>());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (Int cut : cuts) {
        Box first = box, second = box;
        first.size[d] = cut;
        second.start[d] += cut;
        second.size[d] -= cut;
        auto left = covered(first, pieces);
        if (left.empty()) continue;
        auto right = covered(second, pieces);
        if (right.empty()) continue;
        std::vector<CleanExpr> replicas;
        for (size_t k = 0; k < std::max(left.size(), right.size()); ++k) {
          replicas.push_back(make_concat(
              {left[std::min(k, left.size() - 1)], right[std::min(k, right.size() - 1)]},
              static_cast<Int>(d)));
        }
        return replicas;
      }
    }
    return {};
  }

  std::vector<CleanExpr> covered(const Box& box, const std::vector<const Piece*>& pieces) {
    if (++steps_ > kMostSteps) return {};
    std::vector<const Piece*> within;
    for (const Piece* piece : pieces) {
      if (inside(*piece, box)) within.push_back(piece);
    }
    if (within.empty()) return {};
    return (*this)(box, within);
  }

  // Pieces of one target are few; this bounds what hostile grids could make of the recursion.
  static constexpr int kMostSteps = 10'000;
  Lifting& lifting_;
  const Term& target_;
  int steps_ = 0;
};

}  // namespace

std::vector<CleanExpr> cover_boxes(Lifting& lifting, const Shape& sizes,
                                   const std::vector<Piece>& pieces, const Term& target) {
  std::vector<const Piece*> all;
  for (const Piece& piece : pieces) all.push_back(&piece);
  return Cover(lifting, target)({Shape(sizes.size(), 0), sizes}, all);
}

}  // namespace assay
