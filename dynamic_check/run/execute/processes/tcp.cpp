#include "dynamic_check/run/execute/processes/tcp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

UserError network_error(const std::string& what, int error) {
  return UserError({}, what + ": " + std::strerror(error), "is there a network between the ranks?");
}

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

// Small messages go out at once. What is not acknowledged for so long ends the connection; when
// nothing is sent, the system asks the other machine four times in that time.
FileDescriptor prepared(FileDescriptor socket, milliseconds patience) {
  const int number = socket.number();
  const int pause = std::max<int>(1, static_cast<int>(patience.count() / 4000));
  set(number, IPPROTO_TCP, TCP_NODELAY, 1);
  set(number, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(number, IPPROTO_TCP, TCP_KEEPIDLE, pause);
  set(number, IPPROTO_TCP, TCP_KEEPINTVL, pause);
  set(number, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(patience.count()));
  return socket;
}

// 0, or why not.
int connect_within(int socket, const addrinfo& address, milliseconds wait) {
  const int flags = ::fcntl(socket, F_GETFL);
  ::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  int error = ::connect(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd polled{socket, POLLOUT, 0};
    socklen_t size = sizeof error;
    if (::poll(&polled, 1, static_cast<int>(wait.count())) <= 0) {
      error = ETIMEDOUT;
    } else if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
      error = errno;
    }
  }
  ::fcntl(socket, F_SETFL, flags);
  return error;
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
    throw network_error("rank 0 cannot listen for the others", errno);
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

std::optional<FileDescriptor> accept_tcp(const Listener& listener, milliseconds wait,
                                         milliseconds patience) {
  pollfd polled{listener.socket.number(), POLLIN, 0};
  if (::poll(&polled, 1, static_cast<int>(wait.count())) <= 0) return std::nullopt;
  FileDescriptor socket(::accept4(listener.socket.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.number() < 0) return std::nullopt;
  return prepared(std::move(socket), patience);
}

FileDescriptor connect_tcp(const std::string& host, int port, milliseconds patience) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    throw UserError({}, "the machine of rank 0 is not known: " + host, "set MASTER_ADDR");
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  const auto end = steady_clock::now() + patience;
  while (true) {
    FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
    const int error = connect_within(socket.number(), *found, std::max(left, milliseconds(0)));
    if (error == 0) return prepared(std::move(socket), patience);
    if (steady_clock::now() >= end) {
      throw network_error(
          "rank 0 cannot be reached at port " + std::to_string(port) + " of " + host, error);
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
}

std::string local_address(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  char text[INET_ADDRSTRLEN] = "";
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text) == nullptr) {
    throw network_error("this machine's address is not known", errno);
  }
  return text;
}

}  // namespace assay
