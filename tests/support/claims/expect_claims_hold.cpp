#include "tests/support/claims/expect_claims_hold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "shared_ir/case/approximation.h"
#include "shared_ir/cast.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/operation.h"
#include "shared_ir/reference/reference.h"
#include "tests/support/claims/claim_values.h"

namespace assay::test {

namespace {

using Numbers = std::vector<std::vector<ReferenceTensor>>;  // per rank, per core operator

/// A number in [0, 1) for each (seed, atom, element, labels).
double noise(uint64_t seed, AtomId atom, int64_t element, const std::vector<int64_t>& labels) {
  uint64_t state = seed * 0x9E3779B97F4A7C15ull + static_cast<uint64_t>(atom);
  const auto mix = [&](uint64_t word) {
    state = (state ^ word) * 0xBF58476D1CE4E5B9ull;
    state ^= state >> 29;
    state = (state + 0x2545F4914F6CDD1Dull) * 0x94D049BB133111EBull;
    state ^= state >> 32;
  };
  mix(static_cast<uint64_t>(element));
  for (int64_t label : labels) mix(static_cast<uint64_t>(label) + 77);
  return static_cast<double>(state >> 11) * 0x1p-53;
}

/// Integers at which some claim or program changes its mind.
std::vector<int64_t> interesting_integers(const Certificate& certificate,
                                          const std::vector<const CoreProgram*>& programs) {
  std::set<int64_t> bounds{0, 1};
  const auto add = [&](int64_t bound) {
    if (std::abs(bound) < (int64_t{1} << 40)) bounds.insert(bound);
  };
  const auto visit = [&](const Value& value) {
    for (const Tile& tile : value.tiles) {
      for (const PiecewiseAffine& f : tile.integer) {
        for (const auto& piece : f.pieces) add(piece.x.lo == INT64_MIN ? 0 : piece.x.lo);
      }
      for (const Term& term : tile.terms) {
        for (const Restriction& r : term.restrictions) {
          if (r.kind != Restriction::Kind::kGuard) continue;
          for (const Interval& in : r.intervals) {
            if (in.lo != INT64_MIN) add(in.lo);
            if (in.hi != INT64_MAX) add(in.hi);
          }
        }
      }
    }
  };
  for (const Value& value : certificate.sequential) visit(value);
  for (const auto& rank : certificate.ranks) {
    for (const Value& value : rank) visit(value);
  }
  for (const CoreProgram* program : programs) {
    for (const CoreOp& op : program->ops) {
      if (op.prim == Prim::kOneHot) add(op.shape.back());
    }
  }
  std::vector<int64_t> result;
  for (int64_t bound : bounds) {
    for (int64_t x : {bound - 1, bound, bound + 1}) result.push_back(x);
  }
  return result;
}

class Execution {
 public:
  Execution(const Case& refinement, const StaticResult& result, uint64_t seed, int64_t samples)
      : case_(refinement),
        certificate_(result.certificate),
        seed_(seed),
        samples_(samples),
        random_(seed) {
    const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
    sequential_ = {lower(refinement.sequential, refinement.sequential_groups, 0, operators)};
    for (size_t r = 0; r < refinement.ranks.size(); ++r) {
      ranks_.push_back(lower(refinement.ranks[r], refinement.distributed_groups,
                             static_cast<Rank>(r), operators));
    }
    std::vector<const CoreProgram*> programs{&sequential_[0]};
    for (const CoreProgram& program : ranks_) programs.push_back(&program);
    integers_ = interesting_integers(certificate_, programs);
    values_ = std::make_unique<ClaimValues>(
        certificate_.universe, programs,
        [this](AtomId atom, int64_t element, const std::vector<int64_t>& labels) {
          return source(atom, element, labels);
        });
  }

  void run(const StaticResult& result) {
    bind_random_draws();
    bound_positions(sequential_[0], certificate_.sequential);
    bound_indices(sequential_[0], certificate_.sequential);
    const Numbers sequential = evaluate(sequential_, sources({&certificate_.sequential}));
    std::vector<const std::vector<Value>*> claims;
    for (const auto& rank : certificate_.ranks) claims.push_back(&rank);
    if (claims.size() != ranks_.size()) return;  // ranks that never meet have no values
    for (size_t r = 0; r < ranks_.size(); ++r) {
      if (claims[r]->size() != ranks_[r].ops.size()) return;
    }
    const Numbers ranks = evaluate(ranks_, sources(claims));
    bind_unknowns(sequential_[0], certificate_.sequential, sequential[0]);
    for (size_t r = 0; r < ranks_.size(); ++r) bind_unknowns(ranks_[r], *claims[r], ranks[r]);

    compare_claims(case_.sequential, sequential_[0], certificate_.sequential, sequential[0]);
    for (size_t r = 0; r < ranks_.size(); ++r) {
      compare_claims(case_.ranks[r], ranks_[r], *claims[r], ranks[r]);
    }
    compare_relations(result, sequential[0], ranks);
  }

 private:
  double source(AtomId id, int64_t element, const std::vector<int64_t>& labels) {
    const auto bound = bound_.find(id);
    if (bound != bound_.end()) return bound->second.at(static_cast<size_t>(element));
    const double u = noise(seed_, id, element, labels);
    const DType dtype = certificate_.universe.atoms[static_cast<size_t>(id)].dtype;
    if (is_bool(dtype)) return u < 0.5;
    if (is_integer(dtype)) {
      // Positions in a table have no meaning outside it.
      const auto rows = table_rows_.find(id);
      if (rows != table_rows_.end()) return std::floor(u * static_cast<double>(rows->second));
      // One in four anywhere below the largest bound, the others at a bound.
      const double v = noise(seed_ + 1, id, element, labels);
      if (v < 0.25)
        return std::floor(u * std::min(static_cast<double>(integers_.back()),
                                       static_cast<double>(integer_range(dtype).second)));
      const auto drawn = static_cast<double>(
          integers_[static_cast<size_t>(u * static_cast<double>(integers_.size()))]);
      const auto [least, greatest] = integer_range(dtype);
      return std::clamp(is_unsigned(dtype) ? std::abs(drawn) : drawn, static_cast<double>(least),
                        static_cast<double>(greatest));
    }
    return 4 * u - 2;
  }

  ReferenceSources sources(std::vector<const std::vector<Value>*> claims) {
    const auto claimed = [this, claims](Rank rank, const CoreOp& op) {
      const auto& programs =
          claims.size() == 1 && claims[0] == &certificate_.sequential ? sequential_ : ranks_;
      const CoreProgram& program = programs[static_cast<size_t>(rank)];
      const auto id = static_cast<size_t>(&op - program.ops.data());
      return values_->tensor((*claims[static_cast<size_t>(rank)])[id]);
    };
    return {claimed, claimed};
  }

  /// The atom of which a claim is a plain whole view; kNone when it is none.
  AtomId whole_atom(const Value& claim) const {
    if (claim.tiles.size() != 1 || claim.tiles[0].terms.size() != 1) return kNone;
    const Term& term = claim.tiles[0].terms[0];
    return term.coef.is_one() && term.restrictions.empty() ? term.atom : kNone;
  }

  void bound_positions(const CoreProgram& program, const std::vector<Value>& claims) {
    for (const CoreOp& op : program.ops) {
      if (op.prim != Prim::kBlock || !op.fn.starts_with("rotary")) continue;
      const AtomId positions = whole_atom(claims[static_cast<size_t>(op.operands.at(1))]);
      const CoreOp& table = program.ops[static_cast<size_t>(op.operands.at(2))];
      if (positions != kNone) table_rows_.emplace(positions, table.shape[0]);
    }
  }

  /// The sequential program's indices lie in its tables: what is claimed is claimed of such inputs.
  void bound_indices(const CoreProgram& program, const std::vector<Value>& claims) {
    for (const CoreOp& op : program.ops) {
      if (op.prim != Prim::kOneHot) continue;
      for (const Tile& tile : claims[static_cast<size_t>(op.operands.at(0))].tiles)
        for (const Term& term : tile.terms) {
          int64_t& rows = table_rows_.try_emplace(term.atom, op.shape.back()).first->second;
          rows = std::min<int64_t>(rows, op.shape.back());
        }
    }
  }

  /// Random draws are samples of their distribution.
  void bind_random_draws() {
    const auto bind = [&](const CoreProgram& program, const std::vector<Value>& claims) {
      for (size_t i = 0; i < program.ops.size() && i < claims.size(); ++i) {
        if (program.ops[i].prim != Prim::kRandom) continue;
        const AtomId id = whole_atom(claims[i]);
        if (id == kNone ||
            certificate_.universe.atoms[static_cast<size_t>(id)].kind != Atom::Kind::kRandom)
          continue;
        bound_.emplace(id, reference::default_sample(program.ops[i]).values);
      }
    };
    bind(sequential_[0], certificate_.sequential);
    for (size_t r = 0; r < certificate_.ranks.size(); ++r) bind(ranks_[r], certificate_.ranks[r]);
  }

  /// Unwritten memory, and results that the lifter could not express, are whatever the program has
  /// there.
  void bind_unknowns(const CoreProgram& program, const std::vector<Value>& claims,
                     const std::vector<ReferenceTensor>& numbers) {
    for (size_t i = 0; i < program.ops.size(); ++i) {
      if (program.ops[i].prim == Prim::kInput || program.ops[i].prim == Prim::kRandom) continue;
      const AtomId id = whole_atom(claims[i]);
      if (id == kNone) continue;
      const Atom::Kind kind = certificate_.universe.atoms[static_cast<size_t>(id)].kind;
      if (kind == Atom::Kind::kRandom || kind == Atom::Kind::kUninit)
        bound_.emplace(id, numbers[i].values);
    }
  }

  void compare_claims(const Graph& graph, const CoreProgram& program,
                      const std::vector<Value>& claims,
                      const std::vector<ReferenceTensor>& numbers) {
    for (size_t i = 0; i < program.ops.size(); ++i) {
      const CoreOp& op = program.ops[i];
      const std::string where = fmt::format(
          "{}, core operator {} (primitive {}, fn '{}') of {}", graph.name, i,
          static_cast<int>(op.prim), op.fn,
          op.origin == kNone ? "an input" : graph.nodes[static_cast<size_t>(op.origin)].op);
      try {
        if (!compare_claim(where, op.shape, claims[i], numbers[i])) return;
      } catch (const TooLarge&) {
        continue;
      } catch (const MeaninglessClaim& claim) {
        ADD_FAILURE() << where << ": " << claim.reason;
        return;
      }
    }
  }

  bool compare_claim(const std::string& where, const Shape& shape, const Value& claim,
                     const ReferenceTensor& number) {
    if (claim.shape != shape) {
      ADD_FAILURE() << where << ": the claim has shape " << assay::to_string(claim.shape);
      return false;
    }
    const auto count = static_cast<int64_t>(number.values.size());
    const bool all = count <= samples_;
    for (int64_t s = 0; s < std::min(count, samples_); ++s) {
      int64_t index = all ? s : static_cast<int64_t>(random_() % static_cast<uint64_t>(count));
      const double expected = number.values[static_cast<size_t>(index)];
      Shape at(shape.size());
      for (size_t d = shape.size(); d-- > 0; index /= shape[d]) at[d] = index % shape[d];
      const double claimed = values_->element(claim, at);
      if (close(claimed, expected, scale_of(number))) continue;
      ADD_FAILURE() << where << ": element " << assay::to_string(at) << " of "
                    << assay::to_string(shape) << " is " << expected << ", claimed " << claimed;
      return false;
    }
    return true;
  }

  void compare_relations(const StaticResult& result, const std::vector<ReferenceTensor>& sequential,
                         const Numbers& ranks) {
    const auto of_sequential = [&](const std::string& name, Rank) {
      const auto id = static_cast<size_t>(case_.sequential.find(name));
      return sequential[static_cast<size_t>(sequential_[0].value_of[id])];
    };
    const auto of_rank = [&](const std::string& name, Rank rank) {
      const auto r = static_cast<size_t>(rank);
      const auto id = static_cast<size_t>(case_.ranks[r].find(name));
      return ranks[r][static_cast<size_t>(ranks_[r].value_of[id])];
    };
    for (const Certificate::Covered& covered : certificate_.relations) {
      for (const CleanExpr& replica : covered.replicas) {
        expect_equal(evaluate(replica, of_rank), of_sequential(covered.tensor, 0),
                     covered.tensor + " = " + to_string(replica));
      }
    }
    for (size_t r = 0; r < result.distributed_over_sequential.size(); ++r) {
      for (const auto& [name, expr] : result.distributed_over_sequential[r]) {
        expect_equal(evaluate(expr, of_sequential), of_rank(name, static_cast<Rank>(r)),
                     fmt::format("{}@{} = {}", name, r, to_string(expr, Leaves::kSequential)));
      }
    }
    if (result.report.verdict != Verdict::kProved) return;
    for (const Expectation& expectation : case_.expect) {
      for (const CleanExpr& replica : expectation.replicas) {
        expect_equal(evaluate(replica, of_rank), evaluate(expectation.sequential, of_sequential),
                     "expected " + to_string(replica));
      }
    }
  }

  static double scale_of(const ReferenceTensor& tensor) {
    double scale = 1;
    for (double x : tensor.values) {
      if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
    }
    return scale;
  }

  static bool close(double a, double b, double scale) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= 1e-8 * scale;
  }

  static void expect_equal(const ReferenceTensor& a, const ReferenceTensor& b,
                           const std::string& relation) {
    ASSERT_EQ(a.shape, b.shape) << relation;
    const double scale = scale_of(b);
    for (size_t i = 0; i < a.values.size(); ++i) {
      ASSERT_TRUE(close(a.values[i], b.values[i], scale))
          << "relation " << relation << ": element " << i << " is " << b.values[i] << " and "
          << a.values[i];
    }
  }

  const Case& case_;
  const Certificate& certificate_;
  const uint64_t seed_;
  const int64_t samples_;
  std::mt19937_64 random_;
  std::vector<CoreProgram> sequential_;
  std::vector<CoreProgram> ranks_;
  std::vector<int64_t> integers_;
  std::map<AtomId, std::vector<double>> bound_;
  std::map<AtomId, int64_t> table_rows_;
  std::unique_ptr<ClaimValues> values_;
};

}  // namespace

void expect_claims_hold(const Case& refinement, const StaticResult& result, uint64_t seed,
                        int64_t samples) {
  if (refinement.approximations.empty())
    return Execution(refinement, result, seed, samples).run(result);
  const Case given = given_approximations(refinement).refinement;
  Execution(given, result, seed, samples).run(result);
}

}  // namespace assay::test
