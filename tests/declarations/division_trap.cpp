#include "tests/declarations/division_trap.h"

#include <csetjmp>
#include <csignal>

namespace assay::test {
namespace {

sigjmp_buf before_action;
struct sigaction handling, handled_before;

void leave(int) { siglongjmp(before_action, 1); }

struct Handler {
  Handler() {
    handling.sa_handler = leave;
    sigaction(SIGFPE, &handling, &handled_before);
  }
  ~Handler() { sigaction(SIGFPE, &handled_before, nullptr); }
};

}  // namespace

bool traps(const std::function<void()>& action) {
  const Handler handler;
  if (sigsetjmp(before_action, 1) != 0) return true;
  action();
  return false;
}

}  // namespace assay::test
