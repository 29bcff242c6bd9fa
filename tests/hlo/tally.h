// What became of recorded programs, opcode by opcode.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/hlo/judgement.h"

namespace assay::test {

class HloTally {
 public:
  void add(const HloValues& recorded, const std::vector<HloJudgement>& found);

  size_t count(HloJudgement::Outcome outcome) const;
  /// Judgements of programs that have this opcode.
  size_t count(HloJudgement::Outcome outcome, const std::string& opcode) const;

  bool has_attribute(const std::string& name) const { return attributes_.contains(name); }

  /// A line for each opcode, and one for each reason why something was not compared.
  void print() const;

 private:
  using Counts = std::array<size_t, 5>;  // by outcome

  Counts all_{};
  std::map<std::string, Counts> of_opcode_;
  std::map<std::string, size_t> reasons_;
  std::set<std::string> attributes_;
};

}  // namespace assay::test
