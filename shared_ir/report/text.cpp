#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "shared_ir/report/report.h"

namespace assay {
namespace {

constexpr size_t kOutputs = 12, kFailures = 3, kInputs = 6, kAssumptions = 5;
constexpr size_t kExpressionWidth = 110;

struct Meaning {
  std::string_view word;
  std::string_view sentence;
};

constexpr std::array<Meaning, 12> kTriage = {{
    {"pass", "the proof holds and the run agrees with it"},
    {"kernel",
     "the proof holds, but this operator gives wrong values for right inputs: look at its kernel"},
    {"runtime",
     "the proof holds, but this collective did not deliver what its inputs were when it "
     "should have read them: look at streams, events and buffer reuse"},
    {"precision",
     "the proof holds, but this operator rounds more than its precision does: look at "
     "its accumulation type"},
    {"rounding",
     "the proof holds, and each operator is right on its own inputs: the ranks' rounding comes out "
     "otherwise here, or an assumption of the report does not hold"},
    {"logic", "the program computes something else: look at the failing operator of the proof"},
    {"domain",
     "the proof assumes that functions are defined where the ranks call them, and on these inputs "
     "one is not: NaN stays, whatever it is multiplied by"},
    {"input_relation",
     "parameters do not start as the relation says: look at initialisation and broadcast"},
    {"unproved",
     "the run shows no difference, but there is no proof: a bug that these inputs do not "
     "show, or a missing lemma"},
    {"not_compared",
     "the proof holds, but the run compared nothing with an output: it says nothing of that "
     "output's kernels and precision"},
    {"deviation",
     "the runs differ from this tensor on; with the case's graphs its operator would be held "
     "against its own inputs"},
    {"agreement", "the runs agree, as far as these inputs show; nothing is proved"},
}};

std::string_view triage_sentence(std::string_view word) {
  for (const Meaning& meaning : kTriage) {
    if (meaning.word == word) return meaning.sentence;
  }
  return "";
}

bool has_broken_collective(const CaseReport& report) {
  return report.statics && std::ranges::any_of(report.statics->failures, [](const auto& failure) {
           return failure.kind == "collective_mismatch";
         });
}

std::string_view meaning_of(Verdict verdict, const CaseReport& report) {
  switch (verdict) {
    case Verdict::kProved:
      return "for all inputs, the ranks' outputs make up the sequential ones";
    case Verdict::kRefuted:
      if (has_broken_collective(report))
        return "the ranks' communication does not fit: no run comes to its end";
      return "there is an input for which the results differ";
    case Verdict::kUnproved:
      return "no proof was found; this is no pass";
    case Verdict::kTimeout:
      return "a bound was reached before an answer";
    case Verdict::kUnsupported:
      return "an operator has no declaration";
    case Verdict::kError:
      return "the case could not be checked";
  }
  return "";
}

std::string shortened(const std::string& text) {
  if (text.size() <= kExpressionWidth) return text;
  return text.substr(0, kExpressionWidth - 3) + "...";
}

std::string relation(const TensorReport& tensor) {
  if (tensor.relation.empty()) return "(no relation)";
  std::string text = shortened(tensor.relation.front());
  if (tensor.relation.size() == 2) text += "  and  " + shortened(tensor.relation.back());
  if (tensor.relation.size() > 2)
    text += fmt::format("  and {} more replicas", tensor.relation.size() - 1);
  if (tensor.pending_sum) text += "   <- still a sum over ranks";
  if (tensor.by_evaluation) text += "   (by evaluation)";
  return text;
}

size_t widest(const std::vector<TensorReport>& tensors, size_t count) {
  size_t width = 0;
  for (size_t i = 0; i < count; ++i) width = std::max(width, tensors[i].name.size());
  return std::min<size_t>(width, 40);
}

class Printer {
 public:
  std::string run(const CaseReport& report) {
    const bool accepted = report.exit == 0 && report.verdict != Verdict::kProved;
    if (!report.statics && report.dynamic)
      line("{}: {}", report.name, outcome(*report.dynamic));
    else
      line("{}: {}{}{} - {}", report.name, to_string(report.verdict), accepted ? " (accepted)" : "",
           given_in_words(report), meaning_of(report.verdict, report));
    if (!report.error.empty()) line("  {}", report.error);
    if (report.statics) print(*report.statics);
    if (report.dynamic) print(*report.dynamic);
    for (const std::string& note : report.notes) line("  note: {}", note);
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void more(size_t all, size_t shown, const char* what) {
    if (all > shown) line("    ... and {} more {}", all - shown, what);
  }

  void print(const StaticReport& report) {
    line("\n  proof: {}   {} sequential and {} distributed operators, {:.1f} ms",
         to_string(report.verdict), report.counts.sequential_ops, report.counts.distributed_ops,
         report.ms.import + report.ms.check);
    // What is wrong comes first.
    std::vector<TensorReport> outputs = report.outputs;
    std::stable_partition(outputs.begin(), outputs.end(), [](const TensorReport& output) {
      return output.verdict != Verdict::kProved;
    });
    const size_t shown = std::min(outputs.size(), kOutputs);
    const size_t width = widest(outputs, shown);
    for (size_t i = 0; i < shown; ++i) {
      line("    {:<11} {:<{}} = {}", to_string(outputs[i].verdict), outputs[i].name, width,
           relation(outputs[i]));
    }
    more(outputs.size(), shown, "outputs");
    if (report.sizes) print(*report.sizes);
    print_failures(report.failures);
    print_approximations(report);
    print_list("assumptions", report.assumptions);
    print_list("trusted", report.trusted);
    print_list("questions without an answer", report.unanswered);
    print_list("searches by lemmas without a proof", report.searches);
    print_refused(report.lemmas);
  }

  void print_refused(const std::vector<LemmaReport>& lemmas) {
    std::vector<std::string> refused;
    for (const LemmaReport& lemma : lemmas)
      if (!lemma.certified)
        refused.push_back(fmt::format("{}: {}", lemma.name, lemma.failures.at(0)));
    print_list("lemmas that are not certified and prove nothing", refused);
  }

  static std::string values(const std::map<std::string, int64_t>& instance) {
    std::string text;
    for (const auto& [name, value] : instance)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
  }

  void print(const SizesReport& sizes) {
    std::vector<std::string> constraints;
    for (const SizesReport::Symbol& symbol : sizes.symbols)
      constraints.insert(constraints.end(), symbol.constraints.begin(), symbol.constraints.end());
    line("  sizes: {} where {}",
         sizes.all              ? "proved for all"
         : sizes.proved.empty() ? "not proved"
                                : "proved for some, not for all",
         fmt::join(constraints, ", "));
    for (const SizesReport::Proved& proved : sizes.proved) {
      line("    proved at {}{}", values(proved.instance),
           proved.conditions.empty() ? "" : "; everywhere else the same proof needs");
      const size_t shown = std::min(proved.conditions.size(), kAssumptions);
      for (size_t i = 0; i < shown; ++i) {
        const auto& condition = proved.conditions[i];
        line("      {}{}", condition.text,
             condition.asked_by.empty() ? "" : "   asked by " + condition.asked_by);
      }
      more(proved.conditions.size(), shown, "in the JSON report");
    }
    if (sizes.all) return;
    if (!sizes.example.empty()) line("    left, for example, is {}", values(sizes.example));
    if (!sizes.why.empty()) line("    {}", sizes.why);
  }

  void print_approximations(const StaticReport& report) {
    if (report.approximations.empty()) return;
    line("  accepted approximations: {}{}", report.approximations.size(),
         report.without_approximations
             ? fmt::format("   (without them: {})", to_string(*report.without_approximations))
             : "");
    const size_t shown = std::min(report.approximations.size(), kAssumptions);
    for (size_t i = 0; i < shown; ++i) {
      const ApproximationReport& accepted = report.approximations[i];
      line("    - {} ({}){} counts as {}", accepted.tensor, accepted.op,
           accepted.source.empty() ? "" : " at " + accepted.source,
           relation({accepted.tensor, Verdict::kProved, accepted.relation}));
      line("      reason   {}", accepted.reason);
    }
    more(report.approximations.size(), shown, "in the JSON report");
  }

  void print_list(const char* title, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    line("  {}: {}", title, texts.size());
    const size_t shown = std::min(texts.size(), kAssumptions);
    for (size_t i = 0; i < shown; ++i) line("    - {}", texts[i]);
    more(texts.size(), shown, "in the JSON report");
  }

  void print_failures(const std::vector<FailureReport>& failures) {
    if (failures.empty()) return;
    line("\n  where the proof fails ({}, most suspicious first)", failures.size());
    for (size_t i = 0; i < std::min(failures.size(), kFailures); ++i) {
      print(i + 1, failures[i]);
    }
    more(failures.size(), std::min(failures.size(), kFailures), "failures");
  }

  void print(size_t index, const FailureReport& failure) {
    line("  {}. {} ({}){}", index, failure.node, failure.op,
         failure.source.empty() ? "" : " at " + failure.source);
    field("reason", failure.reason);
    if (!failure.nearest.empty()) {
      field("nearest",
            shortened(failure.nearest) +
                (failure.distributed_source.empty() ? "" : "  at " + failure.distributed_source));
    }
    const size_t shown = std::min(failure.inputs.size(), kInputs);
    const size_t width = widest(failure.inputs, shown);
    for (size_t i = 0; i < shown; ++i) {
      line("     {:<9}{:<{}} = {}", i == 0 ? "inputs" : "", failure.inputs[i].name, width,
           relation(failure.inputs[i]));
    }
    field("look at", failure.hint);
  }

  void field(const char* name, const std::string& value) {
    if (!value.empty()) line("     {:<9}{}", name, value);
  }

  void print(const DynamicReport& report) {
    line("\n  run: {}   {} (seed {}), {} tensors compared, {} skipped, {:.0f} ms", outcome(report),
         report.precision, report.seed, report.compared, report.skipped, report.ms);
    if (report.bound) {
      line(
          "    relative errors up to {:.1e} allowed, as given; no chance of a false alarm can be "
          "stated",
          *report.bound);
    } else if (report.samples > 0) {
      line("    tolerances from {} perturbed runs; a correct program fails with probability {:.0e}",
           report.samples, report.family_false_positive_rate);
    }
    if (!report.reference_stages.empty())
      line("    the reference ran from its graph, in stages: {}", stages(report.reference_stages));
    if (!report.not_raised.empty())
      line("    runs of the graphs did not raise the tolerances, as they do in a check: {}",
           report.not_raised);
    if (report.first_deviation) {
      const DeviationReport& first = *report.first_deviation;
      line("    first of {} deviations: {} ({}){}", report.deviations, first.tensor, first.op,
           first.source.empty() ? "" : " at " + first.source);
      line("     {:<9}{}: relative error {:.2e}, allowed {:.2e}{}", "kind", first.kind, first.error,
           first.allowed, ranks(first.ranks));
      field("detail", first.detail);
    }
    for (const DynamicReport::Distance& accepted : report.approximations)
      line("    approximated: {} is off by {:.1e} (relative) on these inputs", accepted.tensor,
           accepted.error);
    print_first("not compared, so no pass: output", report.uncompared);
    print_first("could not be run:", report.incomplete);
    print_first("within rounding:", report.flips);
    print_first("skipped:", report.skipped_why);
    if (report.operators) print(*report.operators);
    if (!report.guessed_inputs.empty())
      line("    values drawn as the shape suggests: {}",
           shortened(fmt::format("{}", fmt::join(report.guessed_inputs, ", "))));
    if (!report.triage.empty()) {
      line("  triage: {} - {}", report.triage, triage_sentence(report.triage));
    }
  }

  void print_first(const char* title, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    const size_t others = texts.size() - 1;
    line("    {} {}{}", title, texts.front(),
         others > 0 ? fmt::format("   (and {} more, in the JSON report)", others) : "");
  }

  // How many of the ranks' operators were held against their own inputs, and by what.
  void print(const OperatorCounts& operators) {
    int64_t judged = 0;
    std::string by;
    for (const auto& [what, count] : operators.judged) {
      judged += count;
      by += fmt::format("{}{} by {}", by.empty() ? "" : ", ", count, what);
    }
    line("    of the ranks' {} operators, {} were judged{}; {} are views, {} were not judged",
         operators.total, judged, by.empty() ? "" : " (" + by + ")", operators.views,
         operators.not_judged_count);
    print_first("not judged:", operators.not_judged);
  }

  // "cuda:0 (at most 1.2 GB), cpu (at most 0.9 GB)"
  static std::string stages(const std::vector<DynamicReport::Stage>& stages) {
    constexpr double kMega = 1e6, kGiga = 1e9;
    std::string text;
    for (const DynamicReport::Stage& stage : stages) {
      const auto bytes = static_cast<double>(stage.bytes);
      text += fmt::format("{}{} (at most {:.1f} {})", text.empty() ? "" : ", ", stage.device,
                          bytes / (bytes < kGiga ? kMega : kGiga), bytes < kGiga ? "MB" : "GB");
    }
    return text;
  }

  static const char* outcome(const DynamicReport& report) {
    if (report.verdict == RunVerdict::kAgrees) return "within tolerance";
    return report.deviations > 0 ? "deviates" : "not conclusive";
  }

  static std::string ranks(const std::vector<int32_t>& ranks) {
    if (ranks.empty()) return "";
    return fmt::format(", rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", "));
  }

  std::string text_;
};

}  // namespace

std::string given_in_words(const CaseReport& report) {
  const size_t count = report.statics ? report.statics->approximations.size() : 0;
  if (count == 0) return "";
  return fmt::format(", given {} accepted approximation{}", count, count == 1 ? "" : "s");
}

std::string to_text(const CaseReport& report) { return Printer().run(report); }

}  // namespace assay
