#include "shared_ir/operator_table/captured_operators.h"

#include <algorithm>

#include "capture_files.h"

namespace assay {
namespace {

std::string_view take(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

CapturedOperator parse(std::string_view line) {
  CapturedOperator op;
  op.name = take(line, ' ');
  op.how = take(line, ' ');
  op.recorded = op.how != "refused";
  if (!op.recorded) op.text = line;
  while (op.how == "parts" && !line.empty()) op.parts.push_back(take(line, ' '));
  return op;
}

// Of the lines, those whose operator is named `name` or, with a dot, has this name as a beginning.
std::vector<CapturedOperator> lines_of(std::string_view name) {
  std::vector<CapturedOperator> found;
  for (std::string_view text = capture_files()[0].text; !text.empty();) {
    const std::string_view line = take(text, '\n');
    if (!line.starts_with(name)) continue;
    const std::string_view rest = line.substr(name.size());
    const bool whole = rest.starts_with(' ');
    const bool overload = rest.starts_with('.') && rest.find('.', 1) > rest.find(' ');
    if (whole || overload) found.push_back(parse(line));
  }
  return found;
}

}  // namespace

std::optional<CapturedOperator> captured_operator(std::string_view op) {
  const std::vector<CapturedOperator> found = lines_of(op);
  if (found.empty() || found.front().name != op) return std::nullopt;
  return found.front();
}

std::vector<CapturedOperator> captured_overloads(std::string_view name) { return lines_of(name); }

std::vector<ModelOperator> model_operators() {
  std::vector<ModelOperator> operators;
  for (std::string_view text = capture_files()[1].text; !text.empty();) {
    std::string_view line = take(text, '\n');
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view name = take(line, '\t');
    if (operators.empty() || operators.back().name != name) operators.push_back({name, {}});
    const std::string_view code_base = take(line, '\t');
    operators.back().uses.push_back({code_base, line});
  }
  return operators;
}

}  // namespace assay
