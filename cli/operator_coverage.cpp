#include "cli/operator_coverage.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/declare/declaration.h"
#include "shared_ir/operator_table/schema.h"

namespace assay::cli {
namespace {

using lowering::Expr;

std::string unsupported_reason(const Expr& expr) {
  const bool is_one = expr.kind == Expr::Kind::kCall && expr.builtin->name == "unsupported";
  if (!is_one) return {};
  const Expr& text = expr.children.front();
  return text.kind == Expr::Kind::kText && text.pieces.size() == 1 ? text.pieces.front()
                                                                   : "these arguments";
}

void collect_reasons(const Expr& expr, std::set<std::string>& reasons) {
  if (const std::string reason = unsupported_reason(expr); !reason.empty()) reasons.insert(reason);
  for (const Expr& child : expr.children) collect_reasons(child, reasons);
}

// Arguments that the declaration says nothing about.
std::set<std::string> restrictions(const OperatorDeclaration& declaration) {
  std::set<std::string> result;
  for (const auto* expressions : {&declaration.lets, &declaration.returns, &declaration.writes})
    for (const Expr& expr : *expressions) collect_reasons(expr, result);
  return result;
}

bool says_nothing(const OperatorDeclaration& declaration) {
  return declaration.writes.empty() &&
         std::ranges::none_of(declaration.returns,
                              [](const Expr& expr) { return unsupported_reason(expr).empty(); });
}

// How captures record what has no declaration; empty where they do not.
std::string recorded_as(const std::string& name, const OperatorTable& operators) {
  if (name.starts_with("aten.sym_")) return "sizes are recorded as numbers";
  if (name == "aten.resize_.default") return "a view; captures refuse it for more elements";
  const memory::OperatorSchema schema = memory::schema_of(name, nullptr);
  if (schema.relayout) return {};
  if (!schema.functional.empty() && operators.find(schema.functional) != nullptr)
    return fmt::format("writes what {} returns", schema.functional);
  const bool views = std::ranges::any_of(schema.results, [](const memory::SchemaResult& result) {
    return result.sharing == memory::Sharing::kView;
  });
  return views && schema.strides ? "a view by its strides" : std::string();
}

class Lines {
 public:
  void add(const std::string& name, const std::string& text) { lines_.emplace_back(name, text); }
  size_t size() const { return lines_.size(); }

  std::string text(std::string_view title) const {
    std::string result = lines_.empty() ? std::string() : fmt::format("\n{}\n", title);
    for (const auto& [name, text] : lines_) result += fmt::format("  {}: {}\n", name, text);
    return result;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

bool has_meaning(const OperatorTable& operators, std::string_view op) {
  const OperatorDeclaration* declaration = operators.find(op);
  return declaration != nullptr && !says_nothing(*declaration);
}

std::string core_coverage(const OperatorTable& operators) {
  size_t declared = 0;
  Lines in_part, captured, opaque;
  const std::vector<std::string> names = memory::core_operators();
  for (const std::string& name : names) {
    const OperatorDeclaration* declaration = operators.find(name);
    if (declaration == nullptr) {
      const std::string how = recorded_as(name, operators);
      if (how.empty())
        opaque.add(name, name == "aten._local_scalar_dense.default"
                             ? "its result is a number of the program"
                             : "no declaration");
      else
        captured.add(name, how);
      continue;
    }
    const std::set<std::string> reasons = restrictions(*declaration);
    if (says_nothing(*declaration)) {
      opaque.add(name, fmt::format("{}", fmt::join(reasons, "; ")));
      continue;
    }
    ++declared;
    if (!reasons.empty()) in_part.add(name, fmt::format("{}", fmt::join(reasons, "; ")));
  }
  std::string text = fmt::format("core ATen operators: {}\n", names.size());
  text += fmt::format("  declared  {:>4} ({} of them not for all arguments)\n", declared,
                      in_part.size());
  text += fmt::format("  needless  {:>4}\n  opaque    {:>4}\n", captured.size(), opaque.size());
  text += opaque.text("opaque: equal only to themselves on equal whole arguments");
  text += captured.text("needless: they need no declaration");
  text += in_part.text("declared, but for");
  return text;
}

}  // namespace assay::cli
