// The c10d backends with which ranks in processes of their own communicate, by name.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <functional>
#include <string>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace assay {

// A rank's end of one group.
struct BackendRequest {
  c10::intrusive_ptr<c10d::Store> store;  // where the members of this group meet
  int member = 0;                         // this rank's position in the group
  int size = 1;
  std::chrono::milliseconds timeout{60'000};  // of one collective
  std::string address = "127.0.0.1";          // of this machine, for the other ranks
};

struct ProcessBackend {
  c10::DeviceType device;  // where the tensors of its collectives are
  // Devices of that type that a rank can have for itself; ranks share a CPU.
  std::function<int()> devices;
  // Makes `device` number `local_rank` the process's own, before anything else.
  std::function<void(int local_rank)> enter;
  // Collective: every member calls it. Throws what the backend throws.
  std::function<c10::intrusive_ptr<c10d::Backend>(const BackendRequest&)> make;
};

// "gloo"; "nccl" in a program that links assay::nccl_executor. Throws UserError for others.
const ProcessBackend& process_backend(const std::string& name);

// For static initializers. Always true.
bool add_process_backend(const std::string& name, ProcessBackend backend);

}  // namespace assay
