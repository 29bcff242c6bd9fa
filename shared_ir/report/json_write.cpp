#include <cmath>
#include <nlohmann/json.hpp>

#include "shared_ir/report/report.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const TensorReport& tensor) {
  Json json = {
      {"name", tensor.name}, {"verdict", to_string(tensor.verdict)}, {"relation", tensor.relation}};
  if (tensor.pending_sum) json["pending_sum"] = true;
  if (tensor.by_evaluation) json["by_evaluation"] = true;
  return json;
}

Json json_of(const std::vector<TensorReport>& tensors) {
  Json list = Json::array();
  for (const TensorReport& tensor : tensors) list.push_back(json_of(tensor));
  return list;
}

Json json_of(const FailureReport& failure) {
  Json inputs = Json::array();
  for (const TensorReport& input : failure.inputs) {
    inputs.push_back({{"name", input.name}, {"relation", input.relation}});
  }
  return {{"kind", failure.kind},
          {"node", failure.node},
          {"op", failure.op},
          {"source", failure.source},
          {"inputs", std::move(inputs)},
          {"nearest", failure.nearest},
          {"reason", failure.reason},
          {"hint", failure.hint},
          {"distributed_source", failure.distributed_source}};
}

Json json_of(const ApproximationReport& accepted) {
  return {{"tensor", accepted.tensor},
          {"op", accepted.op},
          {"source", accepted.source},
          {"relation", accepted.relation},
          {"reason", accepted.reason}};
}

Json json_of(const SizesReport& sizes) {
  Json symbols = Json::array(), proved = Json::array();
  for (const SizesReport::Symbol& symbol : sizes.symbols) {
    symbols.push_back(
        {{"name", symbol.name}, {"constraints", symbol.constraints}, {"value", symbol.value}});
  }
  for (const SizesReport::Proved& one : sizes.proved) {
    Json conditions = Json::array();
    for (const SizesReport::Condition& condition : one.conditions)
      conditions.push_back({{"text", condition.text}, {"asked_by", condition.asked_by}});
    proved.push_back({{"instance", one.instance}, {"conditions", std::move(conditions)}});
  }
  return {{"symbols", std::move(symbols)},
          {"all", sizes.all},
          {"proved", std::move(proved)},
          {"example", sizes.example},
          {"why", sizes.why}};
}

Json json_of(const StaticReport& report) {
  Json json = {{"verdict", to_string(report.verdict)}, {"outputs", json_of(report.outputs)}};
  if (!report.tensors.empty()) json["tensors"] = json_of(report.tensors);
  json["failures"] = Json::array();
  for (const FailureReport& failure : report.failures) json["failures"].push_back(json_of(failure));
  json["assumptions"] = report.assumptions;
  if (!report.approximations.empty()) {
    json["approximations"] = Json::array();
    for (const ApproximationReport& accepted : report.approximations)
      json["approximations"].push_back(json_of(accepted));
  }
  if (report.without_approximations)
    json["without_approximations"] = to_string(*report.without_approximations);
  json["trusted"] = report.trusted;
  if (report.sizes) json["sizes"] = json_of(*report.sizes);
  if (!report.unanswered.empty()) json["unanswered"] = report.unanswered;
  if (!report.searches.empty()) json["searches"] = report.searches;
  for (const LemmaReport& lemma : report.lemmas)
    json["lemmas"].push_back({{"name", lemma.name},
                              {"certified", lemma.certified},
                              {"shapes", lemma.shapes},
                              {"draws", lemma.draws},
                              {"axioms", lemma.axioms},
                              {"failures", lemma.failures}});
  json["counts"] = {{"sequential_ops", report.counts.sequential_ops},
                    {"distributed_ops", report.counts.distributed_ops},
                    {"terms", report.counts.terms},
                    {"lemmas", report.counts.lemmas}};
  json["ms"] = {{"import", number(report.ms.import)}, {"check", number(report.ms.check)}};
  return json;
}

Json json_of(const DeviationReport& deviation) {
  return {{"tensor", deviation.tensor},       {"op", deviation.op},
          {"source", deviation.source},       {"kind", deviation.kind},
          {"error", number(deviation.error)}, {"allowed", number(deviation.allowed)},
          {"ranks", deviation.ranks},         {"detail", deviation.detail}};
}

Json json_of(const DynamicReport& report) {
  Json json = {{"verdict", name_in_json(report.verdict)},
               {"compared", report.compared},
               {"skipped", report.skipped},
               {"first_deviation", nullptr},
               {"triage", report.triage},
               {"deviations", report.deviations},
               {"skipped_why", report.skipped_why},
               {"precision", report.precision},
               {"family_false_positive_rate", number(report.family_false_positive_rate)},
               {"samples", report.samples},
               {"tolerance_factor", number(report.tolerance_factor)},
               {"seed", report.seed},
               {"tolerances", Json::array()},
               {"ms", number(report.ms)}};
  if (report.bound) json["bound"] = *report.bound;
  if (!report.flips.empty()) json["flips"] = report.flips;
  if (!report.uncompared.empty()) json["uncompared"] = report.uncompared;
  if (!report.incomplete.empty()) json["incomplete"] = report.incomplete;
  if (!report.guessed_inputs.empty()) json["guessed_inputs"] = report.guessed_inputs;
  if (report.operators)
    json["operators"] = {{"total", report.operators->total},
                         {"views", report.operators->views},
                         {"judged", report.operators->judged},
                         {"not_judged", report.operators->not_judged},
                         {"not_judged_count", report.operators->not_judged_count}};
  if (!report.not_raised.empty()) json["not_raised"] = report.not_raised;
  for (const DynamicReport::Distance& accepted : report.approximations)
    json["approximations"].push_back(
        {{"tensor", accepted.tensor}, {"error", number(accepted.error)}});
  for (const DynamicReport::Stage& stage : report.reference_stages)
    json["reference_stages"].push_back({{"device", stage.device}, {"bytes", stage.bytes}});
  if (report.first_deviation) json["first_deviation"] = json_of(*report.first_deviation);
  for (const DynamicReport::Tolerance& tolerance : report.tolerances) {
    json["tolerances"].push_back({{"tensor", tolerance.tensor},
                                  {"allowed", number(tolerance.allowed)},
                                  {"error", number(tolerance.error)},
                                  {"op", tolerance.op},
                                  {"source", tolerance.source},
                                  {"within", tolerance.within}});
    if (tolerance.excess_noise > 0)
      json["tolerances"].back()["excess_noise"] = number(tolerance.excess_noise);
  }
  return json;
}

Json json_of(const CaseReport& report) {
  Json json = {
      {"name", report.name}, {"verdict", to_string(report.verdict)}, {"exit", report.exit}};
  if (!report.error.empty()) json["error"] = report.error;
  if (!report.notes.empty()) json["notes"] = report.notes;
  if (report.statics) json["static"] = json_of(*report.statics);
  if (report.dynamic) json["dynamic"] = json_of(*report.dynamic);
  return json;
}

}  // namespace

std::string to_json(const Report& report) {
  Json json = {{"schema", 1}, {"tool", "assay"}, {"version", ASSAY_VERSION}};
  json["cases"] = Json::array();
  for (const CaseReport& one : report.cases) json["cases"].push_back(json_of(one));
  // Names and paths of the user may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace assay
