// The path of modules that the program is in, as framework code announces it.
#pragma once

#include <string>

namespace assay {

// While it lives, operators called by this thread belong to module `name`, inside the modules of
// the enclosing scopes
// ("blocks.0", "mlp" -> "blocks.0.mlp"). Costs nothing worth mentioning outside a recording.
class ModuleScope {
 public:
  explicit ModuleScope(const std::string& name);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

  // The path of the calling thread; empty outside any scope.
  static const std::string& path();

 private:
  size_t enclosing_length_;
};

}  // namespace assay
