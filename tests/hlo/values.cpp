#include "tests/hlo/values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace assay::test {
namespace {

using nlohmann::json;

std::vector<double> numbers(const json& values) {
  std::vector<double> result;
  for (const json& value : values)
    result.push_back(value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr)
                                       : value.get<double>());
  return result;
}

bool is_whole(const std::string& type) { return type[0] == 's' || type[0] == 'u'; }

std::string coarsest_in(const std::string& text, const std::string& type) {
  if (is_whole(type) || type == "pred") return type;
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (has(" f8e")) return "f8";
  if (has(" bf16[") || has(" reduce-precision(")) return "bf16";
  return has(" f16[") ? "f16" : has(" f32[") ? "f32" : type;
}

HloValues parsed(const json& line) {
  HloValues result;
  result.text = line["hlo"];
  result.type = line["type"];
  result.coarsest = coarsest_in(result.text, result.type);
  for (const json& run : line["runs"]) {
    HloValues::Run& added = result.runs.emplace_back();
    for (const auto& [name, values] : run["inputs"].items()) added.inputs[name] = numbers(values);
    added.values = numbers(run["values"]);
  }
  if (line.contains("ranks")) result.ranks = line["ranks"];
  if (!line.contains("twin")) return result;
  result.twin = line["twin"];
  result.coarsest_of_both = coarsest_in(result.text + result.twin, result.type);
  for (const json& values : line["twin_values"]) result.twin_values.push_back(numbers(values));
  return result;
}

// How far an element may be off: what narrower types round, the evaluator does not.
double tolerance_of(const std::string& type) {
  static const std::map<std::string, double> kTolerances = {
      {"f64", 1e-9}, {"f32", 1e-4}, {"f16", 2e-2}, {"bf16", 1e-1}};
  const auto found = kTolerances.find(type);
  return found == kTolerances.end() ? 0.25 : found->second;
}

}  // namespace

std::vector<std::filesystem::path> hlo_values_files() {
  std::vector<std::filesystem::path> files;
  if (const char* given = std::getenv("ASSAY_HLO_VALUES"); given != nullptr) {
    std::istringstream names(given);
    for (std::string name; std::getline(names, name, ':');) files.emplace_back(name);
    return files;
  }
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  if (root == nullptr) throw std::runtime_error("ASSAY_SOURCE_DIR is not set");
  for (const char* name : {"values.jsonl", "ranks.jsonl", "pairs.jsonl"})
    files.push_back(std::filesystem::path(root) / "tests/hlo" / name);
  return files;
}

void for_each_hlo_values(const std::function<void(const HloValues&)>& visit) {
  for (const std::filesystem::path& file : hlo_values_files()) {
    std::ifstream lines(file);
    if (!lines) throw std::runtime_error("cannot read " + file.string());
    for (std::string line; std::getline(lines, line);) visit(parsed(json::parse(line)));
  }
}

std::string text_of(const HloValues& recorded) {
  std::ostringstream text;
  text << recorded.text;
  const auto print = [&](const std::string& name, const std::vector<double>& values) {
    text << "  " << name << " =";
    for (const double value : values) text << ' ' << value;
    text << '\n';
  };
  for (const HloValues::Run& run : recorded.runs) {
    for (const auto& [name, values] : run.inputs) print(name, values);
    print("XLA's result", run.values);
  }
  return text.str();
}

bool same_hlo_value(double one, double other, const std::string& type) {
  if (std::isnan(one) || std::isnan(other)) return std::isnan(one) && std::isnan(other);
  if (one == other) return true;
  if (std::isinf(one) || std::isinf(other) || type == "pred") return false;
  if (is_whole(type)) return std::fmod(one - other, std::exp2(std::stod(type.substr(1)))) == 0;
  return std::abs(one - other) <= tolerance_of(type) * std::max(1.0, std::abs(one));
}

bool other_hlo_value(double one, double other, const std::string& type) {
  if (!std::isfinite(one) || !std::isfinite(other)) return false;
  if (is_whole(type) || type == "pred") return one != other;
  return std::abs(one - other) > 4 * tolerance_of(type) * std::max(1.0, std::abs(one));
}

}  // namespace assay::test
