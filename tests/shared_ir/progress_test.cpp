// A check that takes long says on a terminal how far it is, and nowhere else.
#include "shared_ir/base/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace assay {
namespace {

using std::chrono::milliseconds;

// A terminal, and a clock that stands.
struct Terminal {
  explicit Terminal(bool is_one = true) : line("mlp", text, is_one, [this] { return time; }) {}

  void show_at(int64_t ms, std::string_view phase, int64_t step = 0, int64_t steps = 0) {
    time = std::chrono::steady_clock::time_point(milliseconds(ms));
    line.show(phase, step, steps);
  }

  std::ostringstream text;
  std::chrono::steady_clock::time_point time;
  ProgressLine line;
};

TEST(Progress, IsOneLineThatIsWrittenAnew) {
  Terminal terminal;
  terminal.show_at(2000, "sequential run", 3, 12);
  EXPECT_EQ(terminal.text.str(), "\r\033[Kmlp: sequential run 3 of 12");
  terminal.show_at(2100, "distributed run");
  EXPECT_EQ(terminal.text.str(), "\r\033[Kmlp: sequential run 3 of 12\r\033[Kmlp: distributed run");
}

TEST(Progress, OfAShortCheckIsNotShown) {
  Terminal terminal;
  terminal.show_at(0, "sequential run", 1, 2);
  terminal.show_at(1999, "sequential run", 2, 2);
  EXPECT_EQ(terminal.text.str(), "");
}

TEST(Progress, IsShownTenTimesASecondAtMost) {
  Terminal terminal;
  terminal.show_at(3000, "comparison", 1, 3);
  terminal.show_at(3099, "comparison", 2, 3);
  EXPECT_EQ(terminal.text.str(), "\r\033[Kmlp: comparison 1 of 3");
  terminal.show_at(3100, "comparison", 3, 3);
  EXPECT_EQ(terminal.text.str(), "\r\033[Kmlp: comparison 1 of 3\r\033[Kmlp: comparison 3 of 3");
}

TEST(Progress, IsNotWrittenToFiles) {
  Terminal file(false);
  file.show_at(5000, "comparison", 1, 3);
  EXPECT_EQ(file.text.str(), "");
}

TEST(Progress, IsGoneInTheEnd) {
  std::ostringstream text;
  std::chrono::steady_clock::time_point time;
  {
    ProgressLine quiet("mlp", text, true, [&] { return time; });
  }
  EXPECT_EQ(text.str(), "");
  {
    ProgressLine line("mlp", text, true, [&] { return time; });
    time += milliseconds(2500);
    line.sink()("operators", 7, 9);
  }
  EXPECT_EQ(text.str(), "\r\033[Kmlp: operators 7 of 9\r\033[K");
}

}  // namespace
}  // namespace assay
