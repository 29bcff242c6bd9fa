#include "shared_ir/lower/in_place.h"

namespace assay::lowering {
namespace {

// What the value is a view of. A copy of it counts as a view too: the graph does not tell.
CoreId base_of(const Builder& builder, CoreId value) {
  for (;;) {
    switch (builder.op(value).prim) {
      case Prim::kPermute:
      case Prim::kReshape:
      case Prim::kExpand:
      case Prim::kSlice:
        value = builder.op(value).operands[0];
        break;
      default:
        return value;
    }
  }
}

}  // namespace

std::string functional_form(std::string_view op) {
  size_t end = op.size();
  if (!op.ends_with('_')) {
    end = op.rfind('.');
    if (end == std::string_view::npos || end == 0 || op[end - 1] != '_') return {};
  }
  if (end < 2 || op[end - 2] == '_' || op[end - 2] == '.') return {};  // "aten.__and__.Tensor"
  return std::string(op.substr(0, end - 1)) + std::string(op.substr(end));
}

void Overwritten::change(const Builder& builder, CoreId value, CoreId result, const Node& node) {
  const CoreId base = base_of(builder, value);
  if (result == kNone || base_of(builder, result) != base) changed_.emplace(base, &node);
}

const Node* Overwritten::changed_by(const Builder& builder, CoreId value) const {
  if (changed_.empty()) return nullptr;
  const auto changed = changed_.find(base_of(builder, value));
  return changed == changed_.end() ? nullptr : changed->second;
}

}  // namespace assay::lowering
