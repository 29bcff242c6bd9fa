// TCP connections between the processes of ranks. Needs no LibTorch.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "dynamic_check/run/execute/processes/file_descriptor.h"

namespace assay {

inline constexpr const char* kLoopback = "127.0.0.1";

struct Listener {
  FileDescriptor socket;
  int port = 0;
};

// At a port that the system chooses; on the loopback device alone when all are on one host. Throws
// UserError.
Listener listen_tcp(bool one_host);

// Connections fail (ETIMEDOUT) once the other machine has not answered, or its process has not
// read, for `patience`.

// Nothing when nobody connects in time.
std::optional<FileDescriptor> accept_tcp(const Listener& listener, std::chrono::milliseconds wait,
                                         std::chrono::milliseconds patience);

// Throws UserError when nobody listens there for `patience`.
FileDescriptor connect_tcp(const std::string& host, int port, std::chrono::milliseconds patience);

// The address that this machine has in a connection: "10.0.0.2".
std::string local_address(int socket);

}  // namespace assay
