// Lifting is right whatever it lifts: the claims of random programs, executed.
#include <gtest/gtest.h>

#include <cmath>

#include "static_check/lift/program/lift_program.h"
#include "tests/support/claims/claim_values.h"
#include "tests/support/random_program.h"

namespace assay::test {
namespace {

/// Inputs of the sequential program: floats and integers with many divisors.
void add_inputs(RandomProgram& program) {
  program.input("x", {4, 6}, DType::kFloat32);
  program.input("w", {6, 4}, DType::kFloat32);
  program.input("b", {2, 3, 4}, DType::kFloat32);
  program.input("c", {6, 1}, DType::kFloat32);
  program.input("ids", {6}, DType::kInt64);
  program.input("pairs", {2, 4}, DType::kInt64);
}

InputValues inputs_of(Lifting& lifting, const Graph& graph) {
  InputValues values;
  for (TensorId id : graph.inputs) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
    Atom atom;
    atom.kind = Atom::Kind::kInput;
    atom.dtype = tensor.dtype;
    atom.tensor = id;
    Term term;
    term.layout.dims.resize(tensor.shape.size());
    for (size_t d = tensor.shape.size(); d-- > 0; atom.size *= tensor.shape[d]) {
      if (tensor.shape[d] != 1) term.layout.dims[d] = {{tensor.shape[d], atom.size}};
    }
    term.atom = lifting.fresh(std::move(atom));
    values.sequential.emplace(tensor.name, single_term(tensor.shape, std::move(term)));
  }
  return values;
}

double input_value(const Universe& universe, uint64_t seed, AtomId atom, int64_t element) {
  const uint64_t word =
      (seed * 1000003 + static_cast<uint64_t>(atom) * 7919 + static_cast<uint64_t>(element)) *
      0x9E3779B97F4A7C15ull;
  const int64_t small = static_cast<int64_t>(word >> 40) % 13 - 3;
  if (!is_floating(universe.atoms[static_cast<size_t>(atom)].dtype))
    return static_cast<double>(small);
  return static_cast<double>(word >> 11) * 0x1p-52 - 1;
}

bool close(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(a) + std::abs(b));
}

struct Lifts {
  size_t operators = 0;
  size_t unlifted = 0;
};

/// An index is one of those that the sequential program's tables have; the number itself where that
/// is one, or all are.
double within_tables(const Lifting& lifting, AtomId atom, double number) {
  const Intervals values = lifting.index_values(atom);
  const auto whole = static_cast<int64_t>(number);
  for (const Interval& in : values)
    if (in.lo <= whole && whole < in.hi) return number;
  // All integers below some bound are too many to be counted.
  constexpr int64_t kFarBelow = -(int64_t{1} << 62);
  const int64_t hi = values.front().hi;
  const int64_t lo = values.front().lo < kFarBelow ? hi - 256 : values.front().lo;
  return static_cast<double>(lo + std::abs(whole) % (hi - lo));
}

/// Whether some integer lies in all tables for no value, or is computed: then its claims are of
/// inputs that are not drawn here.
bool has_no_index(const Lifting& lifting) {
  for (size_t atom = 0; atom < lifting.universe().atoms.size(); ++atom) {
    const Intervals values = lifting.index_values(static_cast<AtomId>(atom));
    if (values.empty()) return true;
    const bool is_computed = lifting.atom(static_cast<AtomId>(atom)).kind != Atom::Kind::kInput;
    if (is_computed && !lifting.is_flag(static_cast<AtomId>(atom)) &&
        values.front().lo != INT64_MIN)
      return true;
  }
  return false;
}

/// Lifts a sequential program and ranks on the same inputs in one universe and compares every claim
/// with the run.
void expect_programs_lift_right(const std::vector<RandomProgram>& programs, uint64_t seed,
                                Lifts& lifts) {
  Lifting lifting;
  InputValues inputs = inputs_of(lifting, programs[0].graph());
  Case refinement;
  std::vector<CoreProgram> ranks;
  std::vector<const CoreProgram*> cores;
  for (size_t p = 0; p < programs.size(); ++p) {
    cores.push_back(&programs[p].program());
    if (p == 0) continue;
    refinement.ranks.push_back(programs[p].graph());
    ranks.push_back(programs[p].program());
    inputs.ranks.push_back(inputs.sequential);
  }
  std::vector<LiftedProgram> lifted{
      lift_sequential(lifting, programs[0].graph(), programs[0].program(), inputs)};
  for (LiftedProgram& rank : lift_ranks(lifting, refinement, ranks, inputs).ranks) {
    lifted.push_back(std::move(rank));
  }
  if (has_no_index(lifting)) return;
  std::map<AtomId, std::vector<double>> bound;
  ClaimValues values(
      lifting.universe(), cores, [&](AtomId atom, int64_t element, const std::vector<int64_t>&) {
        const auto found = bound.find(atom);
        if (found != bound.end()) return found->second[static_cast<size_t>(element)];
        return within_tables(lifting, atom, input_value(lifting.universe(), seed, atom, element));
      });
  for (size_t p = 0; p < programs.size(); ++p) {
    const CoreProgram& program = *cores[p];
    ReferenceSources sources;
    sources.input = [&](Rank, const CoreOp& op) {
      return values.tensor(
          inputs.sequential.at(programs[p].graph().tensors[static_cast<size_t>(op.tensor)].name));
    };
    const auto numbers = evaluate(std::vector<CoreProgram>{program}, sources)[0];
    lifts.operators += program.ops.size();
    lifts.unlifted += lifted[p].unlifted.size();
    for (const Unlifted& unlifted : lifted[p].unlifted) {
      const auto i = static_cast<size_t>(unlifted.op);
      bound.emplace(lifted[p].values[i].tiles[0].terms[0].atom, numbers[i].values);
    }
    for (size_t i = 0; i < program.ops.size(); ++i) {
      try {
        const ReferenceTensor claimed = values.tensor(lifted[p].values[i]);
        ASSERT_EQ(claimed.shape, numbers[i].shape);
        for (size_t e = 0; e < claimed.values.size(); ++e) {
          ASSERT_TRUE(close(claimed.values[e], numbers[i].values[e]))
              << "seed " << seed << ", program " << p << ", operator " << i << " (primitive "
              << static_cast<int>(program.ops[i].prim) << " " << program.ops[i].fn << "), element "
              << e << ": claimed " << claimed.values[e] << ", is " << numbers[i].values[e];
        }
      } catch (const TooLarge&) {
        ++lifts.unlifted;
      } catch (const MeaninglessClaim& claim) {
        FAIL() << "seed " << seed << ", program " << p << ", operator " << i << ": "
               << claim.reason;
      }
    }
  }
}

TEST(RandomPrograms, EveryClaimIsTheValueThatTheProgramComputes) {
  Lifts lifts;
  for (uint64_t seed = 1; seed <= 400 && !HasFatalFailure(); ++seed) {
    std::vector<RandomProgram> programs;
    for (uint64_t p = 0; p < 3; ++p) {
      programs.emplace_back(seed * 10 + p);
      add_inputs(programs.back());
      for (int i = 0; i < 30; ++i) programs.back().add_any();
    }
    expect_programs_lift_right(programs, seed, lifts);
  }
  EXPECT_LT(10 * lifts.unlifted, lifts.operators);
}

TEST(RandomPrograms, IntegerFunctionsArePiecewiseAffineOrApart) {
  Lifts lifts;
  for (uint64_t seed = 1; seed <= 1000 && !HasFatalFailure(); ++seed) {
    RandomProgram program(seed);
    program.input("ids", {40}, DType::kInt64);
    for (int i = 0; i < 12; ++i) program.add_integer();
    program.add_one_hot();
    expect_programs_lift_right({program}, seed, lifts);
  }
  EXPECT_LT(10 * lifts.unlifted, lifts.operators);
}

TEST(RandomPrograms, MovementIsExactOnWholeTensors) {
  Lifts lifts;
  for (uint64_t seed = 1; seed <= 400 && !HasFatalFailure(); ++seed) {
    RandomProgram program(seed);
    add_inputs(program);
    for (int i = 0; i < 40; ++i) program.add_movement();
    expect_programs_lift_right({program}, seed, lifts);
  }
  EXPECT_LT(10 * lifts.unlifted, lifts.operators);
}

TEST(RandomPrograms, MaskedGathersAreGuardedParts) {
  Lifts lifts;
  for (uint64_t seed = 1; seed <= 300 && !HasFatalFailure(); ++seed) {
    std::vector<RandomProgram> programs;
    for (uint64_t p = 0; p < 3; ++p) {
      programs.emplace_back(seed * 10 + p);
      add_inputs(programs.back());
      for (int i = 0; i < 4; ++i) {
        programs.back().add_integer();
        programs.back().add_movement();
        programs.back().add_masked_gather();
        programs.back().add_arithmetic();
      }
    }
    expect_programs_lift_right(programs, seed, lifts);
  }
  EXPECT_LT(10 * lifts.unlifted, lifts.operators);
}

TEST(RandomPrograms, ReductionsArePartsOfTheirSums) {
  Lifts lifts;
  for (uint64_t seed = 1; seed <= 400 && !HasFatalFailure(); ++seed) {
    std::vector<RandomProgram> programs;
    for (uint64_t p = 0; p < 2; ++p) {
      programs.emplace_back(seed * 10 + p);
      programs.back().input("x", {4, 6}, DType::kFloat32);
      programs.back().input("w", {2, 6, 4}, DType::kFloat32);
      for (int i = 0; i < 10; ++i) programs.back().add_movement();
      for (int i = 0; i < 6; ++i) {
        programs.back().add_reduction();
        programs.back().add_movement();
        programs.back().add_arithmetic();
      }
    }
    expect_programs_lift_right(programs, seed, lifts);
  }
  EXPECT_LT(10 * lifts.unlifted, lifts.operators);
}

}  // namespace
}  // namespace assay::test
