#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "shared_ir/base/error.h"
#include "shared_ir/report/report.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

RunVerdict run_verdict_of(const Json& json) {
  const auto name = json.at("verdict").get<std::string>();
  for (RunVerdict verdict : kRunVerdicts)
    if (name_in_json(verdict) == name) return verdict;
  throw UserError({}, "unknown verdict of a run '" + name + "'");
}

Verdict verdict_of(const Json& json, const char* key = "verdict") {
  const auto name = json.at(key).get<std::string>();
  for (Verdict verdict : {Verdict::kProved, Verdict::kRefuted, Verdict::kUnproved,
                          Verdict::kTimeout, Verdict::kUnsupported, Verdict::kError}) {
    if (to_string(verdict) == name) return verdict;
  }
  throw UserError({}, "unknown verdict '" + name + "'");
}

// Of the type that the report has: the library converts a number of any size, which is undefined.
template <class Integer>
Integer integer(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<uint64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.get<int64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  }
  throw UserError({}, "'" + json.dump() + "' is no integer of a report");
}

// null stands for a number that is not finite.
double number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

TensorReport tensor_of(const Json& json) {
  TensorReport tensor;
  tensor.name = json.at("name");
  if (json.contains("verdict")) tensor.verdict = verdict_of(json);
  tensor.relation = json.at("relation").get<std::vector<std::string>>();
  tensor.pending_sum = json.value("pending_sum", false);
  tensor.by_evaluation = json.value("by_evaluation", false);
  return tensor;
}

std::vector<TensorReport> tensors_of(const Json& json, const char* key) {
  std::vector<TensorReport> tensors;
  if (!json.contains(key)) return tensors;
  for (const Json& tensor : json[key]) tensors.push_back(tensor_of(tensor));
  return tensors;
}

FailureReport failure_of(const Json& json) {
  FailureReport failure;
  failure.kind = json.at("kind");
  failure.node = json.at("node");
  failure.op = json.at("op");
  failure.source = json.at("source");
  failure.inputs = tensors_of(json, "inputs");
  failure.nearest = json.at("nearest");
  failure.reason = json.at("reason");
  failure.hint = json.at("hint");
  failure.distributed_source = json.value("distributed_source", "");
  return failure;
}

std::map<std::string, int64_t> instance_of(const Json& json) {
  std::map<std::string, int64_t> instance;
  for (const auto& [name, value] : json.items()) instance[name] = integer<int64_t>(value);
  return instance;
}

SizesReport sizes_of(const Json& json) {
  SizesReport sizes;
  for (const Json& one : json.at("symbols")) {
    sizes.symbols.push_back({one.at("name"), one.at("constraints").get<std::vector<std::string>>(),
                             integer<int64_t>(one.at("value"))});
  }
  sizes.all = json.at("all");
  for (const Json& one : json.at("proved")) {
    SizesReport::Proved& proved = sizes.proved.emplace_back();
    proved.instance = instance_of(one.at("instance"));
    for (const Json& condition : one.at("conditions"))
      proved.conditions.push_back({condition.at("text"), condition.at("asked_by")});
  }
  sizes.example = instance_of(json.at("example"));
  sizes.why = json.at("why");
  return sizes;
}

StaticReport static_of(const Json& json) {
  StaticReport report;
  report.verdict = verdict_of(json);
  report.outputs = tensors_of(json, "outputs");
  report.tensors = tensors_of(json, "tensors");
  for (const Json& failure : json.at("failures")) report.failures.push_back(failure_of(failure));
  report.assumptions = json.at("assumptions").get<std::vector<std::string>>();
  if (json.contains("approximations")) {
    for (const Json& one : json["approximations"])
      report.approximations.push_back({one.at("tensor"), one.at("op"), one.at("source"),
                                       one.at("relation").get<std::vector<std::string>>(),
                                       one.at("reason")});
  }
  if (json.contains("without_approximations"))
    report.without_approximations = verdict_of(json, "without_approximations");
  report.trusted = json.at("trusted").get<std::vector<std::string>>();
  if (json.contains("sizes")) report.sizes = sizes_of(json["sizes"]);
  if (json.contains("unanswered"))
    report.unanswered = json["unanswered"].get<std::vector<std::string>>();
  if (json.contains("searches")) report.searches = json["searches"].get<std::vector<std::string>>();
  if (json.contains("lemmas")) {
    for (const Json& one : json["lemmas"])
      report.lemmas.push_back(
          {one.at("name"), one.at("certified"), one.at("shapes").get<std::vector<std::string>>(),
           integer<int64_t>(one.at("draws")), one.at("axioms").get<std::vector<std::string>>(),
           one.at("failures").get<std::vector<std::string>>()});
  }
  const Json& counts = json.at("counts");
  report.counts.sequential_ops = integer<int64_t>(counts.at("sequential_ops"));
  report.counts.distributed_ops = integer<int64_t>(counts.at("distributed_ops"));
  report.counts.terms = integer<int64_t>(counts.at("terms"));
  for (const auto& [name, count] : counts.at("lemmas").items()) {
    report.counts.lemmas[name] = integer<int64_t>(count);
  }
  report.ms.import = number(json.at("ms"), "import");
  report.ms.check = number(json.at("ms"), "check");
  return report;
}

DeviationReport deviation_of(const Json& json) {
  DeviationReport deviation;
  deviation.tensor = json.at("tensor");
  deviation.op = json.at("op");
  deviation.source = json.at("source");
  deviation.kind = json.at("kind");
  deviation.error = number(json, "error");
  deviation.allowed = number(json, "allowed");
  for (const Json& rank : json.at("ranks")) deviation.ranks.push_back(integer<int32_t>(rank));
  deviation.detail = json.at("detail");
  return deviation;
}

DynamicReport dynamic_of(const Json& json) {
  DynamicReport report;
  report.verdict = run_verdict_of(json);
  report.compared = integer<int64_t>(json.at("compared"));
  report.skipped = integer<int64_t>(json.at("skipped"));
  if (!json.at("first_deviation").is_null()) {
    report.first_deviation = deviation_of(json["first_deviation"]);
  }
  report.triage = json.at("triage");
  report.deviations = integer<int64_t>(json.at("deviations"));
  report.skipped_why = json.at("skipped_why").get<std::vector<std::string>>();
  report.precision = json.at("precision");
  report.family_false_positive_rate = number(json, "family_false_positive_rate");
  report.samples = integer<int64_t>(json.at("samples"));
  if (json.contains("tolerance_factor")) report.tolerance_factor = number(json, "tolerance_factor");
  if (json.contains("bound")) report.bound = number(json, "bound");
  report.not_raised = json.value("not_raised", "");
  report.seed = integer<uint64_t>(json.at("seed"));
  for (const Json& tolerance : json.at("tolerances")) {
    report.tolerances.push_back(
        {tolerance.at("tensor"), number(tolerance, "allowed"), number(tolerance, "error"),
         tolerance.value("op", ""), tolerance.value("source", ""), tolerance.value("within", true),
         tolerance.contains("excess_noise") ? number(tolerance, "excess_noise") : 0});
  }
  const auto texts = [&](const char* key) {
    return json.contains(key) ? json[key].get<std::vector<std::string>>()
                              : std::vector<std::string>();
  };
  report.flips = texts("flips");
  report.uncompared = texts("uncompared");
  report.incomplete = texts("incomplete");
  report.guessed_inputs = texts("guessed_inputs");
  if (json.contains("operators")) {
    const Json& operators = json["operators"];
    report.operators.emplace();
    report.operators->total = integer<int64_t>(operators.at("total"));
    report.operators->views = integer<int64_t>(operators.at("views"));
    for (const auto& [by, count] : operators.at("judged").items())
      report.operators->judged[by] = integer<int64_t>(count);
    report.operators->not_judged = operators.at("not_judged").get<std::vector<std::string>>();
    report.operators->not_judged_count = integer<int64_t>(operators.at("not_judged_count"));
  }
  if (json.contains("approximations"))
    for (const Json& one : json["approximations"])
      report.approximations.push_back({one.at("tensor"), number(one, "error")});
  if (json.contains("reference_stages"))
    for (const Json& stage : json["reference_stages"])
      report.reference_stages.push_back({stage.at("device"), integer<int64_t>(stage.at("bytes"))});
  report.ms = number(json, "ms");
  return report;
}

CaseReport case_of(const Json& json) {
  CaseReport report;
  report.name = json.at("name");
  report.verdict = verdict_of(json);
  report.exit = integer<int>(json.at("exit"));
  report.error = json.value("error", "");
  if (json.contains("notes")) report.notes = json["notes"].get<std::vector<std::string>>();
  if (json.contains("static")) report.statics = static_of(json["static"]);
  if (json.contains("dynamic")) report.dynamic = dynamic_of(json["dynamic"]);
  return report;
}

}  // namespace

Report report_from_json(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.value("tool", "") != "assay" || integer<int64_t>(json.at("schema")) != 1) {
      throw UserError({file}, "this is no report of Assay, version 1");
    }
    Report report;
    for (const Json& one : json.at("cases")) report.cases.push_back(case_of(one));
    return report;
  } catch (const UserError& error) {
    throw UserError({file}, error.message(), error.hint());
  } catch (const Json::exception& error) {
    throw UserError({file}, std::string("this is no report of Assay: ") + error.what());
  }
}

}  // namespace assay
