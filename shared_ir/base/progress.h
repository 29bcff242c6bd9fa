// How far something is that takes long, for who waits at a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace assay {

// Told when a step begins: "sequential run", 3, 12; `steps` 0 where they are not counted. Called
// by one thread at a time.
using ProgressSink = std::function<void(std::string_view phase, int64_t step, int64_t steps)>;

// Tells, where there is a sink.
void tell(const ProgressSink& sink, std::string_view phase, int64_t step = 0, int64_t steps = 0);

// One line of a terminal, written anew at each step and gone in the end: "mlp: sequential run 3 of
// 12". Nothing before it has lived for 2 seconds, then at most ten times a second.
class ProgressLine {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // Not a terminal: writes nothing. `what` begins the line.
  ProgressLine(std::string what, std::ostream& out, bool terminal,
               Clock now = std::chrono::steady_clock::now);
  // On the standard error, where that is a terminal.
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view phase, int64_t step, int64_t steps);

  // Must not outlive the line.
  ProgressSink sink();

 private:
  const std::string what_;
  std::ostream& out_;
  const bool terminal_;
  const Clock now_;
  const std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point shown_;
  bool written_ = false;
};

}  // namespace assay
