#include "dynamic_check/run/execute/processes/hang_up_watch.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>

namespace assay {

HangUpWatch::HangUpWatch(int socket) : over_(::eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([socket, over = over_.number()] {
    pollfd polled[] = {{over, POLLIN, 0}, {socket, POLLRDHUP, 0}};
    while (::poll(polled, 2, -1) < 0 && errno == EINTR) {
    }
    if (polled[0].revents == 0) ::_exit(1);
  });
}

HangUpWatch::~HangUpWatch() {
  ::eventfd_write(over_.number(), 1);
  thread_.join();
}

}  // namespace assay
