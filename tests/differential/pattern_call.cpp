#include "tests/differential/pattern_call.h"

#include <algorithm>
#include <array>
#include <random>

#include "tests/differential/schema_call.h"

namespace assay::test {
namespace {

constexpr std::array kOtherNumbers = {0.5, 1.0, 2.0, 0.25, -1.5, 1e-5};

class Variation {
 public:
  Variation(DrawnCall call, uint64_t seed) : call_(std::move(call)), random_(seed) {}

  DrawnCall run() {
    // A call of another operator takes over what its pattern says.
    if (call_.kernel.op != call_.graph.nodes[0].op) return std::move(call_);
    Node& node = call_.kernel;
    if (below(5) == 0 && !node.kwargs.empty())
      node.kwargs.erase(node.kwargs.begin() + below(std::ssize(node.kwargs)));
    if (below(5) == 0 && !node.args.empty() &&
        !std::holds_alternative<TensorArg>(node.args.back().value))
      node.args.pop_back();
    // What a pattern gives for a tensor is what another kernel has saved.
    for (size_t i = 0; i < node.args.size(); ++i)
      if (!takes_tensors(node.op, i)) vary(node.args[i]);
    for (auto& [name, arg] : node.kwargs)
      if (!takes_tensors(node.op, name)) vary(arg);
    call_.graph.nodes[0] = node;
    return std::move(call_);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  // Integers are sizes and places, which kernels may trust.
  void vary(Arg& arg) {
    if (auto* list = std::get_if<ArgList>(&arg.value))
      for (Arg& element : *list) vary(element);
    if (auto* flag = std::get_if<bool>(&arg.value); flag != nullptr && below(4) == 0)
      *flag = !*flag;
    if (auto* number = std::get_if<double>(&arg.value); number != nullptr && below(3) == 0)
      *number = kOtherNumbers[static_cast<size_t>(below(std::ssize(kOtherNumbers)))];
    if (auto* text = std::get_if<std::string>(&arg.value); text != nullptr && below(4) == 0)
      *text = *text == "tanh" ? "none" : "tanh";
  }

  DrawnCall call_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<const CallGroup*> CallPatterns::groups_of(const std::string& op) const {
  std::vector<const CallGroup*> found;
  for (const CallTable& table : tables_)
    for (const CallGroup& group : table.groups)
      if (std::ranges::find(group.names, op) != group.names.end() && !group.calls.empty())
        found.push_back(&group);
  return found;
}

std::string CallPatterns::why_not(const std::string& op) const {
  if (has(op)) return {};
  for (const CallTable& table : tables_)
    for (const CallGroup& group : table.groups)
      if (std::ranges::find(group.names, op) != group.names.end()) return group.untested;
  return {};
}

std::optional<double> CallPatterns::tolerance(const std::string& op) const {
  double most = 0;
  for (const CallGroup* group : groups_of(op)) {
    if (group->only_shapes) return std::nullopt;
    most = std::max(most, group->tolerance);
  }
  return most;
}

DrawnCall CallPatterns::draw(const std::string& op, uint64_t seed) const {
  std::mt19937_64 random(seed);
  const std::vector<const CallGroup*> groups = groups_of(op);
  const CallGroup& group = *groups[random() % groups.size()];
  const size_t which = random() % (group.calls.size() + group.refused.size());
  const std::string& pattern =
      which < group.calls.size() ? group.calls[which] : group.refused[which - group.calls.size()];
  DrawnCall call = draw_call(op, pattern, random());
  call.in_float32 = group.in_float32;
  return Variation(std::move(call), random()).run();
}

}  // namespace assay::test
