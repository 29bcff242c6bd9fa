#include "cli/capture_coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/operator_coverage.h"
#include "shared_ir/operator_table/captured_operators.h"
#include "shared_ir/operator_table/schema.h"

namespace assay::cli {
namespace {

struct Count {
  size_t all = 0, captured = 0, declared = 0;

  void add(bool is_captured, bool is_declared) {
    ++all;
    captured += is_captured ? 1 : 0;
    declared += is_declared ? 1 : 0;
  }
};

// Memory that nothing has written, a view by strides and the like need no declaration.
bool needs_none(std::string_view op, const CapturedOperator& captured) {
  const memory::OperatorSchema schema = memory::schema_of(op, nullptr);
  const bool views = std::ranges::any_of(schema.results, [](const memory::SchemaResult& result) {
    return result.sharing == memory::Sharing::kView;
  });
  return captured.how == "none" || views;
}

bool is_declared(const OperatorTable& operators, const CapturedOperator& captured) {
  if (has_meaning(operators, captured.name) || needs_none(captured.name, captured)) return true;
  const std::string_view functional = memory::schema_of(captured.name, nullptr).functional;
  if (!functional.empty() && has_meaning(operators, functional)) return true;
  return !captured.parts.empty() && std::ranges::all_of(captured.parts, [&](std::string_view part) {
    return has_meaning(operators, part) || needs_none(part, captured);
  });
}

std::string refused_line(const CapturedOperator& op) {
  return fmt::format("  {}: {}\n", op.name, op.text);
}

}  // namespace

std::string capture_coverage(const OperatorTable& operators) {
  Count core;
  std::set<std::string> refused;
  for (const std::string& name : memory::core_operators()) {
    const auto captured = captured_operator(name);
    core.add(captured && captured->recorded, has_meaning(operators, name));
    if (captured && !captured->recorded) refused.insert(refused_line(*captured));
  }
  std::map<std::string_view, Count> by_code_base;
  Count of_models;
  std::string undeclared;
  for (const ModelOperator& op : model_operators()) {
    const std::vector<CapturedOperator> overloads = captured_overloads(op.name);
    const auto found = std::ranges::find_if(overloads, &CapturedOperator::recorded);
    const bool captured = found != overloads.end();
    const bool declared = std::ranges::any_of(
        overloads, [&](const auto& each) { return is_declared(operators, each); });
    of_models.add(captured, declared);
    for (const ModelOperator::Use& use : op.uses)
      by_code_base[use.code_base].add(captured, declared);
    if (!captured && !overloads.empty()) refused.insert(refused_line(overloads.front()));
    if (!declared) undeclared += fmt::format(" {}", op.name);
  }
  const auto row = [](std::string_view what, const Count& count) {
    return fmt::format("  {:<26} {:>4}  captured {:>4}  declared {:>4}\n", what, count.all,
                       count.captured, count.declared);
  };
  std::string text = "\noperators that captures of C++ programs record\n" + row("core", core);
  text += row("of models", of_models);
  for (const auto& [code_base, count] : by_code_base)
    text += row(fmt::format("  {}", code_base), count);
  text += "\nnot captured\n";
  for (const std::string& line : refused) text += line;
  if (!undeclared.empty()) text += "\nof models, without a declaration:" + undeclared + "\n";
  return text;
}

}  // namespace assay::cli
