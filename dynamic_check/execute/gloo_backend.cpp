#include "dynamic_check/execute/gloo_backend.h"

#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace assay {
namespace {

using Gloo = c10d::ProcessGroupGloo;

std::shared_ptr<gloo::transport::Device> device(bool one_host) {
  if (one_host) return Gloo::createDeviceForHostname("127.0.0.1");
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  return interface == nullptr ? Gloo::createDefaultDevice()
                              : Gloo::createDeviceForInterface(interface);
}

c10::intrusive_ptr<c10d::Backend> make(const BackendRequest& request) {
  auto options = Gloo::Options::create(request.timeout);
  options->devices.push_back(device(request.one_host));
  return c10::make_intrusive<Gloo>(request.store, request.member, request.size, options);
}

}  // namespace

ProcessBackend gloo_backend() {
  return {.device = c10::DeviceType::CPU, .devices = {}, .enter = {}, .make = make};
}

}  // namespace assay
