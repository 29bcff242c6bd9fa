#include "tests/declarations/kernel_trap.h"

#include <array>
#include <csetjmp>
#include <csignal>

namespace assay::test {
namespace {

constexpr std::array kStops = {SIGFPE, SIGSEGV};

sigjmp_buf before_action;

void leave(int signal) { siglongjmp(before_action, signal); }

class Handler {
 public:
  Handler() {
    struct sigaction handling = {};
    handling.sa_handler = leave;
    for (size_t i = 0; i < kStops.size(); ++i) sigaction(kStops[i], &handling, &before_[i]);
  }
  ~Handler() {
    for (size_t i = 0; i < kStops.size(); ++i) sigaction(kStops[i], &before_[i], nullptr);
  }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

 private:
  std::array<struct sigaction, kStops.size()> before_;
};

}  // namespace

const char* trap_of(const std::function<void()>& action) {
  const Handler handler;
  const int signal = sigsetjmp(before_action, 1);
  if (signal == SIGFPE) return "divides an integer by zero";
  if (signal != 0) return "reads memory that it does not have";
  action();
  return nullptr;
}

}  // namespace assay::test
