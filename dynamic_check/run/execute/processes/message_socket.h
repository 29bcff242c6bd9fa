// Messages between the process that leads a check and those that run its ranks, over a connected
// stream socket. Needs no LibTorch.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamic_check/run/execute/processes/file_descriptor.h"

namespace assay {

struct Message {
  enum class Kind : uint8_t {
    // Leader to rank.
    kInputs,  // a piece of the trace that holds the rank's inputs; the job follows
    kJob,     // RankJob
    kReport,  // what came of the check, report JSON: the rank goes on to the next
    // Rank to leader, in a run.
    kStarted,     // the process groups are there, and the program begins
    kNode,        // node_text: it gave its outputs
    kCollective,  // WatchedCall: is about to be called
    kResults,     // a piece of the trace that holds what was recorded; the outcome follows
    kOutcome,     // RankOutcome: the run is over for this rank
  };
  Kind kind;
  std::string payload;
};

inline constexpr size_t kMaxMessage = size_t{16} << 20;

// The other side has closed, or is gone.
struct SocketClosed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class MessageSocket {
 public:
  explicit MessageSocket(FileDescriptor socket) : socket_(std::move(socket)) {}

  // Thread-safe. Throws SocketClosed.
  void send(Message::Kind kind, std::string_view payload);
  // The bytes of a file, from its start, as messages of that kind.
  void send_file(Message::Kind kind, const FileDescriptor& file);

  // Waits for the next message. Throws SocketClosed. One thread at a time, as the next two.
  Message receive();

  // Reads what is there without waiting. False when the other side has closed.
  bool fill();
  // The next message of what was read, if it is complete.
  std::optional<Message> next();

  // What reading has failed with (errno); 0: nothing, or the other side has closed.
  int error() const { return error_; }

  int descriptor() const { return socket_.number(); }

 private:
  FileDescriptor socket_;
  std::mutex sending_;
  std::string read_;
  size_t taken_ = 0;  // bytes of read_ that were given out
  int error_ = 0;
};

// Two ends of a connection in this process; exec closes them.
std::pair<FileDescriptor, FileDescriptor> make_socket_pair();

// Several texts in one payload, and back.
std::string join_fields(const std::vector<std::string>& fields);
std::vector<std::string> split_fields(std::string_view payload);

}  // namespace assay
