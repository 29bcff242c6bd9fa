#include "dynamic_check/run/execute/processes/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "dynamic_check/run/execute/processes/anonymous_file.h"
#include "shared_ir/base/error.h"

namespace assay {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

ChildProcess::ChildProcess(const ChildCommand& command) : output_(make_anonymous_file()) {
  const std::vector<char*> arguments = pointers(command.arguments);
  const std::vector<char*> environment = pointers(command.environment);
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    throw UserError({}, std::string("cannot start a process: ") + std::strerror(errno),
                    "raise the limit of processes (ulimit -u)");
  }
  if (id_ > 0) return;
  // The threads of the parent are not here: until exec, system calls alone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(nothing.number(), STDIN_FILENO);
  ::dup2(output_.number(), STDOUT_FILENO);
  ::dup2(output_.number(), STDERR_FILENO);
  for (const int descriptor : command.inherited) ::fcntl(descriptor, F_SETFD, 0);
  ::execve(command.program.c_str(), arguments.data(), environment.data());
  ::_exit(127);
}

ChildProcess::~ChildProcess() { kill(); }

std::optional<std::string> ChildProcess::ended(std::chrono::milliseconds wait) {
  const auto end = std::chrono::steady_clock::now() + wait;
  while (!status_) {
    int status = 0;
    const pid_t found = ::waitpid(id_, &status, WNOHANG);
    if (found == id_) {
      status_ = status;
    } else if (std::chrono::steady_clock::now() >= end) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  if (WIFSIGNALED(*status_)) {
    const int signal = WTERMSIG(*status_);
    return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(*status_));
}

std::string ChildProcess::last_output(int lines) const {
  constexpr off_t kMost = 4096;
  const off_t size = ::lseek(output_.number(), 0, SEEK_END);
  std::string text(static_cast<size_t>(std::min(size, kMost)), '\0');
  const ssize_t there =
      ::pread(output_.number(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(static_cast<size_t>(std::max<ssize_t>(there, 0)));
  while (text.ends_with('\n')) text.pop_back();
  size_t start = text.size();
  for (int line = 0; line < lines && start != std::string::npos && start > 0; ++line)
    start = text.rfind('\n', start - 1);
  return start == std::string::npos ? text : text.substr(start + (start < text.size() ? 1 : 0));
}

void ChildProcess::kill() {
  if (status_) return;
  ::kill(id_, SIGKILL);
  while (!ended(std::chrono::seconds(1))) {
  }
}

}  // namespace assay
