// Ends a process that nobody waits for any more. Needs no LibTorch.
#pragma once

#include <thread>

#include "dynamic_check/run/execute/processes/file_descriptor.h"

namespace assay {

// While it lives, the process ends (exit code 1) when the other side of the connection closes,
// whatever it is at.
class HangUpWatch {
 public:
  explicit HangUpWatch(int socket);
  ~HangUpWatch();
  HangUpWatch(const HangUpWatch&) = delete;
  HangUpWatch& operator=(const HangUpWatch&) = delete;

 private:
  FileDescriptor over_;
  std::thread thread_;
};

}  // namespace assay
