// Cover: which tensors of one side are views or parts of a tensor of the other, and do they make it
// up exactly?
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "static_check/algebra/value.h"
#include "static_check/cover/number_type.h"
#include "static_check/lift/lifting.h"

namespace assay {

// A tensor that a relation may use.
struct Candidate {
  std::string name;
  Rank rank = 0;
  std::string op;  // producing operator; equal operators are preferred
  const Value* value = nullptr;
  NumberType type;
};

class CoverIndex {
 public:
  // Candidates in order of preference; values must outlive the index.
  CoverIndex(Lifting& lifting, std::vector<Candidate> candidates);

  // The tensor to be covered. Candidates of the same name, then of the same operator and dtype,
  // then of the same dtype, are preferred among equals: a cast may hold the value of its operand in
  // another dtype.
  struct Target {
    const Value& value;
    std::string name;
    std::string op;
    // nullopt: any.
    std::optional<NumberType> type;
  };

  // Clean expressions that each evaluate to the target; empty when the candidates do not cover it.
  std::vector<CleanExpr> cover(const Target& target) const;

  // Candidates that hold a view or part of one of the target's atoms (unfolded once): where a near
  // miss is found.
  std::vector<const Candidate*> related(const Value& target) const;

  // Throws NotLifted when the program never computes that tensor.
  const Value& value(const std::string& name, Rank rank) const;

 private:
  struct Use {
    size_t candidate;
    size_t tile;
  };
  // Tensors with the very same value: what is left where some tile (zeros, say) stands nowhere
  // alone.
  std::vector<CleanExpr> cover_tiles(const Value& wanted, const Target& target) const;
  std::vector<CleanExpr> same_values(const Target& target) const;
  // The tensors of the target's own name, put together in the order of the ranks.
  std::vector<CleanExpr> namesakes(const Target& target) const;
  bool holds(const CleanExpr& expr, const Value& wanted) const;
  std::vector<CleanExpr> cover_tile(const Tile& tile, const Shape& size,
                                    const Target& target) const;
  std::vector<CleanExpr> cover_term(const Term& term, const Shape& size,
                                    const Target& target) const;
  std::vector<CleanExpr> cover_sum(const Tile& tile, const Shape& size) const;
  bool fits(const Candidate& candidate, const Target& target) const;
  std::vector<size_t> preferred(const std::vector<Use>& uses, const Target& target) const;

  Lifting& lifting_;
  std::vector<Candidate> candidates_;
  std::unordered_map<AtomId, std::vector<Use>> by_atom_;
  std::vector<Use> constant_;  // tiles without terms
  std::map<std::pair<std::string, Rank>, size_t> by_name_;
};

}  // namespace assay
