#include "tests/differential/drawn_seeds.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <string_view>

#include "shared_ir/capture/torch/isolated_process.h"
#include "tests/differential/run_size.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

// So few that a kernel which hangs is noticed, so many that starting processes costs little.
constexpr uint64_t kSeedsOfAProcess = 250;
constexpr IsolationLimits kLimits{std::chrono::seconds(120)};
constexpr char kNotDrawn = '-';
constexpr std::array kLetters = {
    std::pair{Outcome::kAgrees, 'a'}, std::pair{Outcome::kRefused, 'u'},
    std::pair{Outcome::kRejected, 'r'}, std::pair{Outcome::kDiffers, 'd'}};

// A letter, and for what is counted or printed, the text.
std::string message_of(const SeedResult& result) {
  if (!result.drawn) return {kNotDrawn};
  const auto* letter =
      std::ranges::find(kLetters, result.found.outcome, [](auto l) { return l.first; });
  std::string text(1, letter->second);
  if (result.found.outcome == Outcome::kRefused) text += result.found.why;
  if (result.found.outcome == Outcome::kDiffers) text += result.found.why + '\n' + result.program;
  return text;
}

class Seeds {
 public:
  explicit Seeds(const std::function<SeedResult(uint64_t)>& compare) : compare_(compare) {}

  void run(uint64_t first, uint64_t count) {
    const uint64_t end = first + count;
    for (uint64_t next = first; next < end;) {
      const uint64_t until = std::min(end, next + kSeedsOfAProcess);
      const IsolatedRun run = run_isolated(
          [&](const SendMessage& send) {
            const at::NoGradGuard no_grad;
            for (uint64_t seed = next; seed < until; ++seed) send(message_of(compare_(seed)));
          },
          kLimits);
      for (const std::string& message : run.messages) take(next++, message);
      if (next == until) continue;
      ADD_FAILURE() << "seed " << next << ": the process "
                    << (run.failure.empty() ? "sent nothing" : run.failure);
      ++next;
    }
  }

  void print(bool with_refusals) const {
    if (with_refusals)
      for (const auto& [why, times] : refusals_) std::cout << times << " refused: " << why << '\n';
    std::cout << of('a') << " agreed, " << of('u') << " refused, " << of('d') << " disagreed, "
              << of('r') << " rejected by PyTorch, " << of(kNotDrawn) << " not drawn\n";
  }

  uint64_t of(char letter) const {
    const auto found = tally_.find(letter);
    return found == tally_.end() ? 0 : found->second;
  }

 private:
  void take(uint64_t seed, std::string_view message) {
    const char letter = message.at(0);
    ++tally_[letter];
    if (letter == 'u') ++refusals_[std::string(message.substr(1))];
    if (letter == 'd') ADD_FAILURE() << "seed " << seed << ": " << message.substr(1);
  }

  const std::function<SeedResult(uint64_t)>& compare_;
  std::map<char, uint64_t> tally_;
  std::map<std::string, uint64_t> refusals_;
};

}  // namespace

void expect_agreement(const std::function<SeedResult(uint64_t)>& compare, uint64_t per_agreeing) {
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 300);
  Seeds seeds(compare);
  seeds.run(number("ASSAY_SEED", 0), count);
  seeds.print(std::getenv("ASSAY_DIFFERENTIAL") != nullptr);
  EXPECT_GT(seeds.of('a'), count / per_agreeing);
}

}  // namespace assay::test
