#include "dynamic_check/run/execute/backends/process_backend.h"

#include <map>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "dynamic_check/run/execute/backends/gloo_backend.h"
#include "shared_ir/base/error.h"

namespace assay {
namespace {

std::map<std::string, ProcessBackend>& backends() {
  static std::map<std::string, ProcessBackend> all{{"gloo", gloo_backend()}};
  return all;
}

}  // namespace

const ProcessBackend& process_backend(const std::string& name) {
  const auto found = backends().find(name);
  if (found != backends().end()) return found->second;
  throw UserError({}, "this program has no backend '" + name + "' for ranks in processes",
                  name == "nccl" ? "link assay::nccl_executor" : "use gloo or nccl");
}

bool add_process_backend(const std::string& name, ProcessBackend backend) {
  return backends().insert_or_assign(name, std::move(backend)).second || true;
}

}  // namespace assay
