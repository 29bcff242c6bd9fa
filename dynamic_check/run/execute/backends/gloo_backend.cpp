#include "dynamic_check/run/execute/backends/gloo_backend.h"

#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "dynamic_check/run/execute/processes/tcp.h"

namespace assay {
namespace {

using Gloo = c10d::ProcessGroupGloo;

std::shared_ptr<gloo::transport::Device> device(const std::string& address) {
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  return interface == nullptr || address == kLoopback ? Gloo::createDeviceForHostname(address)
                                                      : Gloo::createDeviceForInterface(interface);
}

c10::intrusive_ptr<c10d::Backend> make(const BackendRequest& request) {
  auto options = Gloo::Options::create(request.timeout);
  options->devices.push_back(device(request.address));
  return c10::make_intrusive<Gloo>(request.store, request.member, request.size, options);
}

}  // namespace

ProcessBackend gloo_backend() {
  return {.device = c10::DeviceType::CPU, .devices = {}, .enter = {}, .make = make};
}

}  // namespace assay
