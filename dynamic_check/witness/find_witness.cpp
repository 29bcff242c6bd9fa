#include "dynamic_check/witness/find_witness.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/run.h"
#include "dynamic_check/witness/index_assumptions.h"
#include "dynamic_check/witness/shrink_case.h"
#include "dynamic_check/witness/witness_inputs.h"
#include "shared_ir/case/approximation.h"
#include "shared_ir/memory/effects.h"
#include "shared_ir/operator_table/operator_facts.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {
namespace {

// Tried in this order: small tensors run fast, but a program may need larger ones.
constexpr int64_t kLeastSizes[] = {3, 8, 32};

// A distributed program rounds in other places and more often than a sequential run whose every
// result is moved by one rounding; how far that moves a value is estimated by the largest of a few.
constexpr int kRoundingSamples = 3;
constexpr double kRoundingFactor = 64;
const Noise kRounding{.relative = unit_roundoff(DType::kFloat64), .kernels = true};

// What must be equal: a sequential expression and one distributed expression.
struct Claim {
  CleanExpr sequential;
  CleanExpr distributed;
};

std::vector<Claim> claims_of(const Case& refinement) {
  std::vector<Claim> claims;
  for (const Expectation& expectation : refinement.expect) {
    for (const CleanExpr& replica : expectation.replicas)
      claims.push_back({expectation.sequential, replica});
  }
  return claims;
}

// Puts relations where shrink_case shrinks them along.
Case with_relations(Case refinement, const std::vector<Relation>& relations) {
  for (const Relation& relation : relations) {
    Expectation claim;
    claim.sequential.name = relation.tensor;
    claim.replicas = relation.replicas;
    claim.place = relation.place;
    refinement.expect.push_back(std::move(claim));
  }
  return refinement;
}

int64_t elements_of(const Case& refinement) {
  int64_t total = 0;
  auto add = [&](const Graph& graph) {
    for (const Tensor& tensor : graph.tensors) total += element_count(tensor.shape);
  };
  add(refinement.sequential);
  for (const Graph& rank : refinement.ranks) add(rank);
  return total;
}

// Looks tensors up by name and rank in the values of all ranks.
std::function<at::Tensor(const RankTensorName&)> lookup(const std::vector<Graph>& graphs,
                                                        const std::vector<Values>& values) {
  return [&graphs, &values](const RankTensorName& name) {
    const auto rank = static_cast<size_t>(name.second);
    if (rank >= graphs.size()) return at::Tensor();
    const TensorId id = graphs[rank].find(name.first);
    return id == kNone ? at::Tensor() : values[rank][static_cast<size_t>(id)];
  };
}

// The same for a claim over tensors of several types of integers, which it takes as numbers.
std::function<at::Tensor(const RankTensorName&)> as_numbers(
    const CleanExpr& expr, std::function<at::Tensor(const RankTensorName&)> of) {
  std::set<at::ScalarType> types;
  for_each_leaf(expr, [&](const CleanExpr& leaf) {
    if (const at::Tensor tensor = of({leaf.name, leaf.rank}); tensor.defined())
      types.insert(tensor.scalar_type());
  });
  if (types.size() < 2 || types.contains(at::kBool)) return of;
  return [of = std::move(of)](const RankTensorName& name) {
    const at::Tensor tensor = of(name);
    return tensor.defined() ? tensor.to(at::kDouble) : tensor;
  };
}

// Relative Frobenius norm of the difference; 1 where NaN and infinities stand elsewhere.
double distance(const at::Tensor& actual, const at::Tensor& expected) {
  if (special_mismatches(actual, expected) > 0) return 1;
  const double error = difference_norms(actual, expected).whole;
  const double norm = norms_of(expected).whole;
  return norm > 0 ? error / norm : error;
}

// Whether the values differ where `actual` alone is NaN or infinite, and nowhere else.
bool only_undefined(const at::Tensor& actual, const at::Tensor& expected, double tolerance) {
  const at::Tensor missing = ~at::isfinite(actual) & at::isfinite(expected);
  return missing.any().item<bool>() &&
         distance(at::where(missing, expected, actual), expected) <= tolerance;
}

// A sequential tensor goes by its name; an expression over several, by its text.
std::string name_of(const CleanExpr& sequential) {
  return sequential.kind == CleanExpr::Kind::kTensor ? sequential.name : to_string(sequential);
}

// What the ranks hold of the approximated tensors, were they what the sequential program computes.
std::map<RankTensorName, at::Tensor> accepted_values(const Case& refinement, const Values& expected,
                                                     uint64_t seed) {
  const std::vector<Relation> relations = approximations_as_relations(refinement);
  std::map<std::string, at::Tensor> whole;
  for (const Relation& relation : relations) {
    const TensorId id = refinement.sequential.find(relation.tensor);
    whole[relation.tensor] = expected[static_cast<size_t>(id)];
  }
  return parts_of(relations, refinement.ranks, whole, seed);
}

bool has_inexact_kernel(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    const OperatorFacts* facts = facts_of(node);
    return facts != nullptr && facts->kernel_error > 0;
  });
}

// One case at one size.
class BothSides {
 public:
  BothSides(const Case& refinement, bool reduced, const WitnessOptions& options)
      : refinement_(refinement),
        inputs_(describe_inputs(refinement)),
        reduced_(reduced),
        kernels_miss_(std::ranges::any_of(refinement.ranks, has_inexact_kernel)),
        options_(options) {}

  // Adds to `result`; true when a witness was found. Throws UserError for what cannot be run.
  bool run(uint64_t seed, double scale, WitnessSearch& result) const {
    return run(inputs_, seed, scale, result);
  }

  // The same with ids that a table behind a condition may not have. Where a program reads a table
  // at one of these, that it has none is taken for granted, and nothing is found.
  bool run_beyond(uint64_t seed, WitnessSearch& result) const {
    if (!inputs_.open_ids) return false;
    WitnessSearch found;
    try {
      run(describe_inputs(refinement_, IdRange::kBeyond), seed, 1, found);
    } catch (const UserError&) {
      return false;
    }
    result.compared += found.compared;
    if (!found.witness || !found.witness->failure.empty()) return false;
    result.witness = std::move(found.witness);
    return true;
  }

 private:
  // Inputs that the assumptions about indices leave out are no witness: others are drawn then.
  bool run(const DescribedInputs& described, uint64_t seed, double scale,
           WitnessSearch& result) const {
    static constexpr Drawn kDrawn[] = {{}, {true, 0}, {false, 1}, {true, 1}};
    for (const Drawn& drawn : kDrawn) {
      WitnessSearch found = result;
      bool assumed = true;
      try {
        if (!run(described, seed, scale, drawn, found, assumed) || assumed) {
          result = std::move(found);
          return result.witness.has_value();
        }
      } catch (const UserError&) {  // an index beyond its table, of such as were changed
        if (drawn.more == 0 && !drawn.ascending) throw;
      }
    }
    return false;
  }

  // `assumed`: whether inputs on which they differ are such as the proof is about.
  bool run(const DescribedInputs& described, uint64_t seed, double scale, const Drawn& drawn,
           WitnessSearch& result, bool& assumed) const {
    WitnessInputs inputs = make_witness_inputs(refinement_, described, seed, scale, drawn);
    const std::vector<Graph> sequential{refinement_.sequential};
    const std::vector<Values> expected =
        values_of(sequential, refinement_.sequential_groups, inputs.sequential);
    inputs.distributed.merge(accepted_values(refinement_, expected.front(), seed));
    std::vector<Values> actual;
    const auto note_witness = [&](Witness witness) {
      result.witness = std::move(witness);
      assumed = indices_are_as_assumed(refinement_, inputs.sequential, inputs.distributed,
                                       expected.front(), actual);
      return true;
    };
    try {
      actual = values_of(refinement_.ranks, refinement_.distributed_groups, inputs.distributed);
    } catch (const UnmetCollectives& mismatch) {
      result.witness = Witness{"", "", 1, seed, reduced_, false, false, mismatch.message};
      return true;
    } catch (const IndexOutOfRange& error) {
      return note_witness({"", "", 1, seed, reduced_, false, false, error.what()});
    }
    for (const Claim& claim : claims_of(refinement_)) {
      const at::Tensor reference =
          evaluate(claim.sequential, lookup(sequential, expected)).to(at::kDouble);
      if (options_.finite_only && !at::isfinite(reference).any().item<bool>()) continue;
      const Merged merged = merge(claim.distributed, reference.sizes().vec(),
                                  as_numbers(claim.distributed, lookup(refinement_.ranks, actual)));
      ++result.compared;
      const at::Tensor found =
          merged.fault ? at::Tensor() : judged(merged.value, reference).to(at::kDouble);
      const double error = merged.fault ? 1 : distance(found, reference);
      if (error <= options_.tolerance ||
          error <= kRoundingFactor * sequential_rounding(claim, inputs, reference, seed) ||
          (kernels_miss_ &&
           error <= kRoundingFactor * rank_rounding(claim, inputs, found, {.kernels = true}, seed)))
        continue;
      return note_witness(
          {name_of(claim.sequential), to_string(claim.distributed), error, seed, reduced_,
           found.defined() && only_undefined(found, reference, options_.tolerance),
           options_.explain &&
               error <= kRoundingFactor * rank_rounding(claim, inputs, found, kRounding, seed),
           ""});
    }
    return false;
  }

  // Without what says nothing: nothing is claimed where the specification has no number; asked for
  // are its finite ones alone, or those where the ranks have one.
  at::Tensor judged(const at::Tensor& merged, const at::Tensor& reference) const {
    const at::Tensor value = merged.to(at::kDouble);
    at::Tensor says = options_.finite_only ? at::isfinite(reference) : ~at::isnan(reference);
    if (options_.ranks_defined) says = says & at::isfinite(value);
    return at::where(says, value, reference);
  }

  bool writes_memory(const Graph& graph) const {
    static const OperatorTable builtin = OperatorTable::builtin();
    return std::ranges::any_of(graph.nodes, [&](const Node& node) {
      const OperatorDeclaration* declaration = declared_.declaration(node);
      if (declaration == nullptr) declaration = builtin.find(node.op);
      const memory::OperatorSchema schema = memory::schema_of(node.op, declaration);
      return !memory::written_by(graph, node, schema).empty();
    });
  }

  // The values that relations speak of: outputs of a graph as they are at its end, other tensors as
  // they were made.
  std::vector<Values> values_of(const std::vector<Graph>& graphs, const Groups& groups,
                                const std::map<RankTensorName, at::Tensor>& inputs,
                                const Noise& noise = {}) const {
    std::vector<Values> made(graphs.size());
    for (size_t rank = 0; rank < graphs.size(); ++rank)
      if (writes_memory(graphs[rank])) made[rank].resize(graphs[rank].tensors.size());
    const Seen keep = [&](Rank rank, TensorId id, const at::Tensor& value) {
      Values& kept = made[static_cast<size_t>(rank)];
      if (!kept.empty() && value.defined()) kept[static_cast<size_t>(id)] = value.clone();
    };
    std::vector<Values> values =
        noise.sample == 0
            ? interpret(graphs, groups, inputs, {}, {}, &declared_, keep)
            : interpret_with_noise(graphs, groups, inputs, noise, {}, &declared_, keep);
    for (size_t rank = 0; rank < graphs.size(); ++rank) {
      for (size_t id = 0; id < made[rank].size(); ++id)
        if (std::ranges::find(graphs[rank].outputs, static_cast<TensorId>(id)) ==
            graphs[rank].outputs.end())
          values[rank][id] = std::move(made[rank][id]);
    }
    return values;
  }

  // How far rounding alone may move what the claim compares: far, where it is what is left of
  // values that cancel, such as a gradient of a softmax that has saturated.
  double sequential_rounding(const Claim& claim, const WitnessInputs& inputs,
                             const at::Tensor& reference, uint64_t seed) const {
    const std::vector<Graph> sequential{refinement_.sequential};
    return farthest(kRounding, seed, [&](const Noise& noise) {
      const std::vector<Values> values =
          values_of(sequential, refinement_.sequential_groups, inputs.sequential, noise);
      return distance(evaluate(claim.sequential, lookup(sequential, values)).to(at::kDouble),
                      reference);
    });
  }

  // The same of what the ranks give.
  double rank_rounding(const Claim& claim, const WitnessInputs& inputs, const at::Tensor& found,
                       const Noise& kind, uint64_t seed) const {
    if (!found.defined()) return 0;
    return farthest(kind, seed, [&](const Noise& noise) {
      const std::vector<Values> values =
          values_of(refinement_.ranks, refinement_.distributed_groups, inputs.distributed, noise);
      const Merged merged = merge(claim.distributed, found.sizes().vec(),
                                  as_numbers(claim.distributed, lookup(refinement_.ranks, values)));
      return merged.fault ? 0 : distance(merged.value.to(at::kDouble), found);
    });
  }

  static double farthest(Noise noise, uint64_t seed,
                         const std::function<double(const Noise&)>& moved) {
    noise.seed = seed;
    double most = 0;
    for (noise.sample = 1; noise.sample <= kRoundingSamples; ++noise.sample)
      most = std::max(most, moved(noise));
    return most;
  }

  const Case& refinement_;
  const DescribedInputs inputs_;
  const DeclaredOperators declared_{refinement_.operator_files};
  const bool reduced_;
  const bool kernels_miss_;  // of the ranks, in float64
  const WitnessOptions& options_;
};

// Runs on ids beyond tables; elements of all graphs.
constexpr uint64_t kMostBeyond = 16;
constexpr int64_t kSmall = 1 << 14;

// Runs all seeds at one size. Throws UserError when it cannot.
WitnessSearch find_at(const Case& refinement, bool reduced, const WitnessOptions& options) {
  if (elements_of(refinement) > options.max_elements) {
    throw UserError({}, fmt::format("{} elements are too many to run", elements_of(refinement)));
  }
  WitnessSearch result;
  const BothSides sides(refinement, reduced, options);
  for (size_t i = 0; i < options.seeds.size(); ++i) {
    // Large inputs saturate what small ones leave linear.
    if (sides.run(options.seeds[i], i % 2 == 0 ? 1 : 8, result)) return result;
  }
  // Few ids of a small program say little.
  const uint64_t runs = elements_of(refinement) <= kSmall ? kMostBeyond : 1;
  for (uint64_t seed = 1; seed <= runs; ++seed)
    if (sides.run_beyond(seed, result)) break;
  return result;
}

}  // namespace

WitnessSearch find_witness(const Case& refinement, const std::vector<Relation>& relations,
                           const WitnessOptions& options) {
  const at::NoGradGuard no_grad;
  const Case claims = with_relations(refinement, relations);
  WitnessSearch result;
  if (claims.expect.empty()) {
    result.why_not = "the case expects nothing that could be compared";
    return result;
  }
  std::string at_reduced_sizes;  // why they did not run
  for (const int64_t least : kLeastSizes) {
    if (!options.reduce) break;
    try {
      return find_at(shrink_case(claims, least), /*reduced=*/true, options);
    } catch (const UserError& error) {  // the program may need larger sizes
      if (at_reduced_sizes.empty())
        at_reduced_sizes = fmt::format("; at reduced sizes: {}", error.what());
    }
  }
  try {
    return find_at(claims, /*reduced=*/false, options);
  } catch (const UserError& error) {
    result.why_not = error.what() + at_reduced_sizes;
  }
  return result;
}

}  // namespace assay
