#include "dynamic_check/execute/processes/tcp.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "shared_ir/error.h"

namespace assay {
namespace {

UserError network_error(const std::string& what) {
  return UserError({}, what + ": " + std::strerror(errno), "is there a network between the ranks?");
}

// Small messages go out at once.
FileDescriptor prompt(FileDescriptor socket) {
  const int on = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

}  // namespace

Listener listen_tcp(bool one_host) {
  Listener listener{FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(one_host ? INADDR_LOOPBACK : INADDR_ANY);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  const int socket = listener.socket.number();
  if (socket < 0 || ::bind(socket, plain, size) != 0 || ::listen(socket, SOMAXCONN) != 0 ||
      ::getsockname(socket, plain, &size) != 0) {
    throw network_error("rank 0 cannot listen for the others");
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

std::optional<FileDescriptor> accept_tcp(const Listener& listener, std::chrono::milliseconds wait) {
  pollfd polled{listener.socket.number(), POLLIN, 0};
  if (::poll(&polled, 1, static_cast<int>(wait.count())) <= 0) return std::nullopt;
  FileDescriptor socket(::accept4(listener.socket.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.number() < 0) return std::nullopt;
  return prompt(std::move(socket));
}

FileDescriptor connect_tcp(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    throw UserError({}, "the machine of rank 0 is not known: " + host, "set MASTER_ADDR");
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int failed = ::connect(socket.number(), found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  if (failed != 0) throw network_error("rank 0 cannot be reached at " + host);
  return prompt(std::move(socket));
}

}  // namespace assay
