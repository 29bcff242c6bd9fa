// Modules: shared libraries that a program loads on first use, so that what needs neither LibTorch
// nor z3 starts without them.
#pragma once

#include <string>

namespace assay {

class Module {
 public:
  // Loads lib<name>.so from the folders in $ASSAY_MODULES (separated by ':'), or else from
  // modules/, ../modules/ and ../lib/assay/modules/ next to the running program, or else from where
  // the program looks for its libraries (its RUNPATH). Does not throw: see loaded().
  explicit Module(const std::string& name);

  bool loaded() const { return handle_ != nullptr; }
  // Why it is not loaded, in one line; empty when it is.
  const std::string& why_not() const { return why_not_; }

  // The function of that C name; the module stays loaded until the program ends. Throws
  // InternalError when the module, loaded, has no such function.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const std::string& name) const;

  std::string name_;
  void* handle_ = nullptr;
  std::string why_not_;
};

}  // namespace assay
