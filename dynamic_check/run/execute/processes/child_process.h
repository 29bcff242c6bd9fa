// A process that ends with its parent, and whose output is kept. Needs no LibTorch.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "dynamic_check/run/execute/processes/file_descriptor.h"

namespace assay {

struct ChildCommand {
  std::string program;  // path
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value", all of it
  std::vector<int> inherited;            // descriptors that stay open, beside the standard ones
};

class ChildProcess {
 public:
  // The child reads nothing; what it prints goes into a file without a name. It is killed when the
  // thread that starts it ends, as the system has it (PR_SET_PDEATHSIG), or this object. Throws
  // UserError when the system has no process left.
  explicit ChildProcess(const ChildCommand& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }

  // How it ended: "was killed by signal 9 (Killed)", "ended with exit code 3"; nothing if it has
  // not by then.
  std::optional<std::string> ended(std::chrono::milliseconds wait);

  // The end of what it printed, at most that many lines.
  std::string last_output(int lines) const;

  // At once. Returns when the process is gone.
  void kill();

 private:
  FileDescriptor output_;
  pid_t id_ = -1;
  std::optional<int> status_;  // of waitpid
};

}  // namespace assay
