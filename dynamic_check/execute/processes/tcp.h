// TCP connections between the processes of ranks. Needs no LibTorch.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "dynamic_check/execute/processes/file_descriptor.h"

namespace assay {

struct Listener {
  FileDescriptor socket;
  int port = 0;
};

// At a port that the system chooses; on the loopback device alone when all are on one host. Throws
// UserError.
Listener listen_tcp(bool one_host);

// Nothing when nobody connects in time.
std::optional<FileDescriptor> accept_tcp(const Listener& listener, std::chrono::milliseconds wait);

// Throws UserError when nobody listens there.
FileDescriptor connect_tcp(const std::string& host, int port);

}  // namespace assay
