#include "shared_ir/lower/builtins/builtins.h"

#include <unordered_map>

namespace assay::lowering {

const Builtin* find_builtin(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Builtin*> result;
    for (auto family :
         {attribute_builtins(), source_builtins(), elementwise_builtins(), movement_builtins(),
          slicing_builtins(), reduction_builtins(), softmax_builtins(), labelled_builtins(),
          index_builtins(), order_builtins(), window_builtins(), resample_builtins(),
          convolution_builtins(), collective_builtins()})
      for (const Builtin& builtin : family) result.emplace(builtin.name, &builtin);
    return result;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace assay::lowering
