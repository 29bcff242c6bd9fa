#include "static_check/symbolic/all_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "shared_ir/base/module.h"
#include "static_check/lemmas/offered_lemmas.h"
#include "static_check/smt/smt_module.h"
#include "static_check/symbolic/symbolic_replay.h"

namespace assay {
namespace {

// Choices of sizes whose proofs together are a proof for all: most needs are met by one, and one
// more for each size that is 1.
constexpr size_t kMostChoices = 8;
constexpr int64_t kSolverLimitMs = 5000;

class AllSizes {
 public:
  AllSizes(const std::filesystem::path& path, const StaticOptions& options)
      : path_(path),
        options_(options),
        symbols_(load_symbols(path)),
        solver_(kSmtModule),
        replay_(symbolic::kReplayModule) {
    if (!solver_.loaded()) {
      throw UserError({path.string()}, "sizes for its symbols cannot be chosen without z3",
                      solver_.why_not());
    }
    if (!replay_.loaded()) {
      throw UserError({path.string()}, "its proof cannot be made over the symbols",
                      replay_.why_not());
    }
    for (const Symbol& symbol : symbols_) {
      query_.symbols.push_back(symbol.name);
      query_.constraints.insert(query_.constraints.end(), symbol.constraints.begin(),
                                symbol.constraints.end());
    }
    query_.limit_ms = kSolverLimitMs;
  }

  SizedCheck run() {
    SizedCheck first = check(first_instance());
    if (first.result.report.verdict != Verdict::kProved) return finish(std::move(first));
    for (SymbolInstance here = first.refinement.instance;;) {
      if (!generalise(here, first.result.report)) return unproved(std::move(first));
      const SymbolAnswer left = find();
      if (left.answer == Answer::kNo) {
        sizes_.all = true;
        sizes_.example.clear();
        first.result.report.assumptions.push_back(
            "numbers of elements, and what the proof makes of sizes, stay below 2^58 at all sizes");
        // Unlike the sizes that z3 finds, what it denies is not looked at again.
        first.result.report.trusted.push_back(
            fmt::format("z3: the constraints imply what {} of the proofs' conditions say, and "
                        "that no sizes are left",
                        implied_));
        return finish(std::move(first));
      }
      if (left.answer == Answer::kUnknown) {
        sizes_.why = "z3 did not say within " + std::to_string(kSolverLimitMs) +
                     " ms whether the constraints imply them";
        return unproved(std::move(first));
      }
      here = left.instance;
      sizes_.example = here;
      if (sizes_.proved.size() == kMostChoices) {
        sizes_.why = "that is " + std::to_string(kMostChoices) + " choices of sizes, the bound";
        return unproved(std::move(first));
      }
      SizedCheck next;
      try {
        next = check(here);
      } catch (const UserError& error) {  // shapes that the graphs do not have at all sizes
        sizes_.why = error.what();
        return unproved(std::move(first));
      }
      if (next.result.report.verdict != Verdict::kProved) {
        sizes_.why = "there it is " + std::string(to_string(next.result.report.verdict));
        return finish(std::move(next));
      }
    }
  }

 private:
  SymbolAnswer find() const {
    SymbolAnswer answer;
    (*solver_.function<FindSymbols>(kFindSymbols))(query_, answer);
    // The module's arithmetic is not ours: what it finds is looked at again.
    if (answer.answer == Answer::kYes) {
      const SymbolValues values(answer.instance.begin(), answer.instance.end());
      for (const Constraint& constraint : query_.constraints)
        if (!holds(constraint, values)) answer.answer = Answer::kUnknown;
    }
    return answer;
  }

  // The result of `compute`; errors say at which sizes they were seen.
  template <typename Compute>
  static auto at(const SymbolInstance& instance, const Compute& compute) {
    try {
      return compute();
    } catch (const UserError& error) {
      std::string sizes;
      for (const auto& [name, value] : instance)
        sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", name, value);
      throw UserError(error.place(), fmt::format("{} (with {})", error.message(), sizes),
                      error.hint());
    }
  }

  // Where it can be, sizes that are unlike any other of the graphs.
  SymbolInstance first_instance() {
    const SymbolAnswer any = find();
    if (any.answer != Answer::kYes) {
      throw UserError(symbols_.front().place,
                      any.answer == Answer::kNo ? "no sizes satisfy the constraints of the symbols"
                                                : "z3 finds no sizes for the symbols in time");
    }
    const Case sample = at(any.instance, [&] { return load_case(path_, any.instance); });
    std::set<int64_t> seen;
    const auto see = [&](const Graph& graph) {
      for (const Tensor& tensor : graph.tensors)
        seen.insert(tensor.shape.begin(), tensor.shape.end());
    };
    see(sample.sequential);
    for (const Graph& rank : sample.ranks) see(rank);
    query_.avoid.assign(seen.begin(), seen.end());
    const SymbolAnswer better = find();
    return better.answer == Answer::kYes ? better.instance : any.instance;
  }

  SizedCheck check(const SymbolInstance& instance) const {
    return at(instance, [&] {
      SizedCheck result{load_case(path_, instance), {}};
      result.result = static_check(
          result.refinement, OperatorTable::with_files(result.refinement.operator_files), options_);
      return result;
    });
  }

  // The proof at these sizes, made over the symbols. Notes where it holds; false where it does not
  // go through.
  bool generalise(const SymbolInstance& instance, StaticReport& report) {
    const std::set<std::string> certified = certified_lemmas(report);
    symbolic::ReplayedProof proof;
    (*replay_.function<symbolic::ReplayProof>(symbolic::kReplayProof))(
        {path_.string(),
         {instance.begin(), instance.end()},
         options_.timeout.count(),
         {certified.begin(), certified.end()}},
        proof);
    SizesReport::Proved& proved = sizes_.proved.emplace_back();
    proved.instance = instance;
    if (!proof.accepted) {
      sizes_.why = "made over the symbols, the proof does not go through: " + proof.reason;
      return false;
    }
    std::vector<Constraint> conditions;
    for (const symbolic::RequiredCondition& required : proof.conditions) {
      Constraint condition;
      try {
        condition = parse_constraint(required.text, {});
      } catch (const UserError&) {
        sizes_.why = "a condition of the proof is too large to decide: " + required.text;
        return false;
      }
      SymbolQuery contradiction = query_;
      contradiction.prefer_small = false;
      contradiction.beyond.push_back({condition});
      SymbolAnswer answer;
      (*solver_.function<FindSymbols>(kFindSymbols))(contradiction, answer);
      if (answer.answer == Answer::kNo) {
        ++implied_;
        continue;
      }
      proved.conditions.push_back({required.text, required.asked_by});
      conditions.push_back(std::move(condition));
    }
    query_.beyond.push_back(std::move(conditions));
    for (std::string& assumption : proof.assumptions)
      if (std::ranges::find(report.assumptions, assumption) == report.assumptions.end())
        report.assumptions.push_back(std::move(assumption));
    if (sizes_.proved.size() == 1) {
      for (TensorReport& output : report.outputs) {
        const auto relation = proof.relations.find(output.name);
        if (relation != proof.relations.end()) output.relation = relation->second;
      }
    }
    return true;
  }

  SizedCheck unproved(SizedCheck result) const {
    StaticReport& report = result.result.report;
    report.verdict = Verdict::kUnproved;
    for (TensorReport& output : report.outputs) output.verdict = Verdict::kUnproved;
    FailureReport failure;
    failure.kind = "sizes";
    failure.node = report.outputs.empty() ? "" : report.outputs.front().name;
    failure.reason = "proved at some sizes, not for all: " + sizes_.why;
    failure.hint = "constrain the symbols to the sizes that occur";
    report.failures.insert(report.failures.begin(), std::move(failure));
    return finish(std::move(result));
  }

  SizedCheck finish(SizedCheck result) const {
    SizesReport sizes = sizes_;
    for (const Symbol& symbol : symbols_) {
      SizesReport::Symbol& one = sizes.symbols.emplace_back();
      one.name = symbol.name;
      for (const Constraint& constraint : symbol.constraints)
        one.constraints.push_back(constraint.text);
      one.value = result.refinement.instance.at(symbol.name);
    }
    result.result.report.sizes = std::move(sizes);
    return result;
  }

  const std::filesystem::path path_;
  const StaticOptions options_;
  const std::vector<Symbol> symbols_;
  const Module solver_;
  const Module replay_;  // of the proof, over the symbols
  SymbolQuery query_;    // of sizes for which there is no proof yet
  SizesReport sizes_;
  int implied_ = 0;  // conditions of the proofs, by the constraints
};

}  // namespace

SizedCheck check_all_sizes(const std::filesystem::path& path, const StaticOptions& options) {
  return AllSizes(path, options).run();
}

}  // namespace assay
