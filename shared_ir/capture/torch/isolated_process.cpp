#include "shared_ir/capture/torch/isolated_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr uint64_t kReturned = UINT64_MAX;  // instead of a message's length

bool write_all(int file, const void* data, size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

// What the process may still allocate is limited, not what it has.
void limit_memory(size_t more) {
  std::ifstream file("/proc/self/statm");
  size_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;  // the sixth is data and stack
  if (!file) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur =
      std::min<rlim_t>(pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) + more, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

[[noreturn]] void run_child(const std::function<void(const SendMessage&)>& body, int out,
                            pid_t parent, size_t memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  limit_memory(memory);
  const auto send = [out](std::string_view message) {
    const uint64_t size = message.size();
    if (!write_all(out, &size, sizeof size) || !write_all(out, message.data(), size)) ::_exit(1);
  };
  try {
    body(send);
  } catch (...) {
    ::_exit(1);
  }
  write_all(out, &kReturned, sizeof kReturned);
  ::_exit(0);
}

class Reader {
 public:
  Reader(int file, std::chrono::seconds time)
      : file_(file), end_(std::chrono::steady_clock::now() + time) {}

  bool timed_out() const { return timed_out_; }

  // False when the other side has closed, or the time is over.
  bool read(void* data, size_t size) {
    auto* at = static_cast<char*>(data);
    while (size > 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end_ - std::chrono::steady_clock::now());
      pollfd poll{file_, POLLIN, 0};
      const int ready = left.count() <= 0 ? 0 : ::poll(&poll, 1, static_cast<int>(left.count()));
      if (ready < 0 && errno == EINTR) continue;
      timed_out_ = ready == 0;
      if (ready <= 0) return false;
      const ssize_t got = ::read(file_, at, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      size -= static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int file_;
  std::chrono::steady_clock::time_point end_;
  bool timed_out_ = false;
};

std::string how_it_ended(pid_t child, const Reader& reader, std::chrono::seconds time) {
  if (reader.timed_out()) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return "did not end within " + std::to_string(time.count()) + " s";
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "ended early";
  if (!WIFSIGNALED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

}  // namespace

IsolatedRun run_isolated(const std::function<void(const SendMessage&)>& body,
                         const IsolationLimits& limits) {
  int ends[2];
  const pid_t parent = ::getpid();
  const bool has_pipe = ::pipe2(ends, O_CLOEXEC) == 0;
  const pid_t child = has_pipe ? ::fork() : -1;
  if (child < 0) {
    const std::string why = std::strerror(errno);
    if (has_pipe) {
      ::close(ends[0]);
      ::close(ends[1]);
    }
    throw UserError({}, "cannot start a process: " + why,
                    "raise the limits of processes and of open files (ulimit -u, -n)");
  }
  if (child == 0) run_child(body, ends[1], parent, limits.memory);

  ::close(ends[1]);
  IsolatedRun run;
  Reader reader(ends[0], limits.time);
  bool returned = false;
  for (uint64_t size = 0; reader.read(&size, sizeof size);) {
    returned = size == kReturned;
    if (returned) break;
    std::string message(size, '\0');
    if (!reader.read(message.data(), size)) break;
    run.messages.push_back(std::move(message));
  }
  ::close(ends[0]);
  if (returned)
    ::waitpid(child, nullptr, 0);
  else
    run.failure = how_it_ended(child, reader, limits.time);
  return run;
}

}  // namespace assay
