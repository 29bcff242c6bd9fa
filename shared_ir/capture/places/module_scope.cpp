#include "shared_ir/capture/places/module_scope.h"

namespace assay {
namespace {

thread_local std::string current_path;

}  // namespace

ModuleScope::ModuleScope(const std::string& name) : enclosing_length_(current_path.size()) {
  if (!current_path.empty()) current_path += '.';
  current_path += name;
}

ModuleScope::~ModuleScope() { current_path.resize(enclosing_length_); }

const std::string& ModuleScope::path() { return current_path; }

}  // namespace assay
