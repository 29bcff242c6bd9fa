#include "tests/hlo/tally.h"

#include <cstdio>

#include "tests/hlo/opcodes.h"

namespace assay::test {
namespace {

using Outcome = HloJudgement::Outcome;

constexpr std::array<const char*, 5> kOutcomes = {"compared", "disagree", "refused",
                                                  "without a meaning", "outside of what is meant"};

constexpr size_t at(Outcome outcome) { return static_cast<size_t>(outcome); }

}  // namespace

void HloTally::add(const HloValues& recorded, const std::vector<HloJudgement>& found) {
  const std::set<std::string> opcodes = opcodes_in(recorded.text);
  attributes_.merge(attributes_in(recorded.text));
  for (const HloJudgement& one : found) {
    ++all_[at(one.outcome)];
    for (const std::string& opcode : opcodes) ++of_opcode_[opcode][at(one.outcome)];
    if (one.outcome != Outcome::kAgrees && one.outcome != Outcome::kDiffers)
      ++reasons_[std::string(kOutcomes[at(one.outcome)]) + ": " + one.why];
  }
}

size_t HloTally::count(Outcome outcome) const { return all_[at(outcome)]; }

size_t HloTally::count(Outcome outcome, const std::string& opcode) const {
  const auto found = of_opcode_.find(opcode);
  return found == of_opcode_.end() ? 0 : found->second[at(outcome)];
}

void HloTally::print() const {
  for (const auto& [reason, count] : reasons_) std::printf("%8zu %s\n", count, reason.c_str());
  const auto print_counts = [](const char* name, const Counts& counts) {
    std::printf("%-28s", name);
    for (size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) std::printf(" %zu %s;", counts[i], kOutcomes[i]);
    std::printf("\n");
  };
  for (const auto& [opcode, counts] : of_opcode_) print_counts(opcode.c_str(), counts);
  print_counts("all", all_);
}

}  // namespace assay::test
