// What the functionalizer tells InFlight of each node.
#include <algorithm>
#include <iterator>

#include "shared_ir/memory/functionalize.h"

namespace assay::memory {

const OperatorDeclaration* Functionalizer::meaning_of(const Node& node) {
  const OperatorDeclaration* declaration = operators_.find(node.op);
  const std::string_view functional = schema_of(node).functional;
  return declaration != nullptr || functional.empty() ? declaration : operators_.find(functional);
}

void Functionalizer::find_first_users() {
  first_users_.assign(graph_.tensors.size(), nullptr);
  for (const Node& node : graph_.nodes) {
    for (const int32_t work : node.awaits) first_waits_.try_emplace(work, &node);
    for (const TensorId operand : operands_of(node))
      if (first_users_[operand] == nullptr) first_users_[operand] = &node;
  }
}

bool Functionalizer::is_used_in_flight(const Node& node) {
  const OperatorDeclaration* declaration = meaning_of(node);
  if (declaration == nullptr || !declaration->asynchronous) return false;
  if (first_users_.empty()) find_first_users();
  const auto wait = first_waits_.find(node.work);
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId output) {
    const Node* user = output == kNone ? nullptr : first_users_[output];
    if (user == nullptr && node.work == kNone && std::ranges::count(graph_.outputs, output) > 0)
      return true;
    if (user == nullptr || (wait != first_waits_.end() && wait->second <= user)) return false;
    const OperatorDeclaration* first = operators_.find(user->op);
    return first == nullptr || !first->waits;
  });
}

// Views move no data.
void Functionalizer::use_in_flight(const Node& node, const OperatorSchema& schema,
                                   const std::vector<TensorId>& written) {
  const OperatorDeclaration* declaration = operators_.find(node.op);
  if (declaration != nullptr && declaration->waits) {
    for (const TensorId operand : operands_of(node)) in_flight_.wait(context_.site, operand);
    return;
  }
  const bool is_view =
      written.empty() && !schema.results.empty() &&
      std::all_of(schema.results.begin(), schema.results.end(),
                  [](const SchemaResult& result) { return result.sharing == Sharing::kView; });
  if (is_view) return;
  in_flight_.use(context_.site, written.empty() ? operands_of(node) : only_read_by(node, schema),
                 written);
}

void Functionalizer::issue(const Node& node) {
  const OperatorDeclaration* declaration = meaning_of(node);
  if (declaration == nullptr || !declaration->asynchronous) return;
  const OperatorSchema& schema = schema_of(node);
  std::vector<TensorId> filled = written_by(graph_, node, schema), read;
  std::copy_if(node.outputs.begin(), node.outputs.end(), std::back_inserter(filled),
               [](TensorId output) { return output != kNone; });
  for (const std::string& name : declaration->read_in_flight) {
    const auto parameter =
        std::ranges::find(declaration->parameters, name, &lowering::Parameter::name);
    const auto place = static_cast<size_t>(parameter - declaration->parameters.begin());
    const Arg* arg = place < node.args.size() ? &node.args[place] : nullptr;
    for (const auto& [keyword, value] : node.kwargs)
      if (keyword == name) arg = &value;
    for (const TensorId tensor : tensors_of(arg)) read.push_back(tensor);
  }
  in_flight_.issue(node, std::move(filled), std::move(read));
}

}  // namespace assay::memory
