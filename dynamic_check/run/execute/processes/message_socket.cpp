#include "dynamic_check/run/execute/processes/message_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr size_t kHeader = 1 + sizeof(uint64_t);  // kind, size of the payload
constexpr size_t kPiece = size_t{1} << 20;

void send_all(int socket, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw SocketClosed(std::strerror(errno));
    data += sent;
    size -= static_cast<size_t>(sent);
  }
}

}  // namespace

void MessageSocket::send(Message::Kind kind, std::string_view payload) {
  ASSAY_CHECK(payload.size() <= kMaxMessage, "a message is sent in pieces");
  const uint64_t size = payload.size();
  std::string bytes(kHeader, static_cast<char>(kind));
  std::memcpy(bytes.data() + 1, &size, sizeof size);
  bytes += payload;
  std::lock_guard lock(sending_);
  send_all(socket_.number(), bytes.data(), bytes.size());
}

void MessageSocket::send_file(Message::Kind kind, const FileDescriptor& file) {
  std::string piece(kPiece, '\0');
  off_t position = 0;
  while (true) {
    const ssize_t size = ::pread(file.number(), piece.data(), piece.size(), position);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw UserError({}, std::string("a temporary file: ") + std::strerror(errno));
    if (size == 0) return;
    send(kind, std::string_view(piece.data(), static_cast<size_t>(size)));
    position += size;
  }
}

Message MessageSocket::receive() {
  while (true) {
    if (auto message = next()) return *std::move(message);
    char byte;  // waits
    const ssize_t there = ::recv(socket_.number(), &byte, 1, MSG_PEEK);
    if (there < 0 && errno == EINTR) continue;
    if (there <= 0 || !fill()) throw SocketClosed("the other side has closed");
  }
}

bool MessageSocket::fill() {
  read_.erase(0, std::exchange(taken_, 0));
  while (true) {
    const size_t before = read_.size();
    read_.resize(before + kPiece);
    const ssize_t size = ::recv(socket_.number(), read_.data() + before, kPiece, MSG_DONTWAIT);
    read_.resize(before + static_cast<size_t>(size > 0 ? size : 0));
    if (size > 0 && read_.size() < kMaxMessage) continue;
    if (size > 0) return true;
    if (size < 0 && errno == EINTR) continue;
    if (size == 0) return false;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return true;
    error_ = errno;
    return false;
  }
}

std::optional<Message> MessageSocket::next() {
  const size_t there = read_.size() - taken_;
  if (there < kHeader) return std::nullopt;
  uint64_t size = 0;
  std::memcpy(&size, read_.data() + taken_ + 1, sizeof size);
  if (size > kMaxMessage) throw SocketClosed("what comes is no message of Assay's");
  if (there < kHeader + size) return std::nullopt;
  Message message{static_cast<Message::Kind>(read_[taken_]),
                  read_.substr(taken_ + kHeader, static_cast<size_t>(size))};
  taken_ += kHeader + static_cast<size_t>(size);
  return message;
}

std::pair<FileDescriptor, FileDescriptor> make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw UserError({}, std::string("cannot make a socket: ") + std::strerror(errno),
                    "raise the limit of open files (ulimit -n)");
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string join_fields(const std::vector<std::string>& fields) {
  std::string payload;
  for (const std::string& field : fields) (payload += field) += '\0';
  return payload;
}

std::vector<std::string> split_fields(std::string_view payload) {
  std::vector<std::string> fields;
  while (!payload.empty()) {
    const size_t end = payload.find('\0');
    fields.emplace_back(payload.substr(0, end));
    payload.remove_prefix(end == std::string_view::npos ? payload.size() : end + 1);
  }
  return fields;
}

}  // namespace assay
