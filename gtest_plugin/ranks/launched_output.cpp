#include "gtest_plugin/ranks/launched_output.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace assay {
namespace {

class OwnFailures final : public testing::EmptyTestEventListener {
 public:
  explicit OwnFailures(Rank rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "unknown file" : result.file_name();
    std::fprintf(stderr, "[rank %d] %s:%d: Failure\n%s\n", static_cast<int>(rank_), file,
                 result.line_number(), result.message());
  }

 private:
  const Rank rank_;
};

void release_output() {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  delete listeners.Release(listeners.default_xml_generator());
}

// GoogleTest's flags, which are read after static initialization, ask for output again.
class NoOutput final : public testing::Environment {
 public:
  void SetUp() override { release_output(); }
};

volatile sig_atomic_t told = 0;

void remember(int) {
  told = 1;
  ::alarm(15);  // ends the process
}

}  // namespace

void print_own_failures_alone(Rank rank) {
  release_output();
  testing::UnitTest::GetInstance()->listeners().Append(new OwnFailures(rank));
  testing::AddGlobalTestEnvironment(new NoOutput);
}

void outlive_other_ranks() {
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
}

bool told_to_end() { return told != 0; }

void end_if_told() {
  if (!told_to_end()) return;
  std::fflush(nullptr);
  ::signal(SIGTERM, SIG_DFL);
  ::raise(SIGTERM);
}

}  // namespace assay
