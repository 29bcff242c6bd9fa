#include "shared_ir/capture/record/functional_form.h"

#include <mutex>
#include <optional>
#include <unordered_map>

namespace assay {
namespace {

// In-place operators whose twin has another name or overload.
std::optional<c10::OperatorName> irregular_twin(const c10::OperatorName& name) {
  if (name.name == "aten::normal_") return c10::OperatorName("aten::normal_functional", "");
  if (name.name == "aten::bernoulli_" && name.overload_name == "float") {
    return c10::OperatorName("aten::bernoulli", "p");
  }
  return std::nullopt;
}

bool is_functional(const c10::FunctionSchema& schema) {
  for (const auto& argument : schema.arguments()) {
    if (argument.alias_info() != nullptr) return false;
  }
  return true;
}

// The twin takes those arguments, by name and type.
bool takes(const c10::FunctionSchema& twin, const c10::FunctionSchema& original,
           const std::vector<size_t>& kept) {
  if (!is_functional(twin) || twin.arguments().size() != kept.size()) return false;
  for (size_t i = 0; i < kept.size(); ++i) {
    const c10::Argument &own = twin.arguments()[i], &its = original.arguments()[kept[i]];
    if (own.name() != its.name() || *own.type() != *its.type()) return false;
  }
  return true;
}

std::optional<c10::OperatorHandle> find_twin(const c10::OperatorHandle& op,
                                             const std::vector<size_t>& kept, bool is_out) {
  auto& dispatcher = c10::Dispatcher::singleton();
  const c10::OperatorName& name = op.operator_name();
  const auto fitting = [&](const c10::OperatorName& candidate) {
    auto twin = dispatcher.findSchema(candidate);
    if (twin && !takes(twin->schema(), op.schema(), kept)) twin.reset();
    return twin;
  };
  if (const auto twin = irregular_twin(name)) return fitting(*twin);
  std::string functional = name.name;
  if (!is_out) {
    if (!functional.ends_with('_')) return std::nullopt;
    functional.pop_back();
    if (const auto twin = fitting({functional, name.overload_name})) return twin;
  }
  for (const auto& candidate : dispatcher.getAllOpNames()) {
    if (candidate.name != functional) continue;
    if (const auto twin = fitting(candidate)) return twin;
  }
  return std::nullopt;
}

FunctionalForm make_form(const c10::OperatorHandle& op) {
  FunctionalForm form;
  form.op = graph_name(op.operator_name());
  const auto& arguments = op.schema().arguments();
  std::vector<size_t> inputs;
  bool is_out = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool written =
        arguments[i].alias_info() != nullptr && arguments[i].alias_info()->isWrite();
    if (written) form.mutated.push_back(i);
    if (written && arguments[i].is_out()) {
      is_out = true;
    } else {
      inputs.push_back(i);
    }
  }
  form.arguments = inputs;
  // How reshape spells a view on real devices; on meta tensors it is aten::view.
  if (form.op == "aten._reshape_alias.default") {
    form.op = "aten.view.default";
    form.arguments = {0, 1};
  }
  if (form.mutated.empty()) return form;
  if (const auto twin = find_twin(op, inputs, is_out)) {
    form.op = graph_name(twin->operator_name());
    form.has_twin = true;
    form.pointwise = twin->hasTag(at::Tag::pointwise);
  } else {
    form.arguments.resize(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) form.arguments[i] = i;
  }
  return form;
}

}  // namespace

std::string graph_name(const c10::OperatorName& name) {
  std::string text = name.name;
  const size_t colons = text.find("::");
  if (colons != std::string::npos) text.replace(colons, 2, ".");
  return text + "." + (name.overload_name.empty() ? "default" : name.overload_name);
}

const FunctionalForm& functional_form(const c10::OperatorHandle& op) {
  static std::mutex mutex;
  static std::unordered_map<c10::OperatorName, FunctionalForm> cache;
  const std::lock_guard lock(mutex);
  const auto entry = cache.find(op.operator_name());
  if (entry != cache.end()) return entry->second;
  return cache.emplace(op.operator_name(), make_form(op)).first->second;
}

}  // namespace assay
