// The proof of a case at an instance of its symbols, run again with integers that know how they
// depend on the symbols: at which other instances is it a proof as well? The module
// libassay_symbolic.so says. What it has of namespace assay is other than what the program has
// under the same names, so that nothing of it is here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace symbolic {

struct ReplayQuery {
  std::string case_path;
  std::map<std::string, long> instance;
  long limit_ms = 60'000;
  std::vector<std::string> certified_lemmas = {};  // of the user; no other of the user's is used
};

struct RequiredCondition {
  std::string text;      // in the syntax of constraints
  std::string asked_by;  // the operator
};

struct ReplayedProof {
  bool accepted = false;
  std::string reason;                                         // why not
  std::vector<RequiredCondition> conditions;                  // where they hold, it is a proof
  std::map<std::string, std::vector<std::string>> relations;  // of outputs, over the symbols
  std::vector<std::string> assumptions;                       // of lowering, at any size
};

inline constexpr const char* kReplayModule = "assay_symbolic";
inline constexpr const char* kReplayProof = "assay_symbolic_replay_proof";

// Throws nothing.
using ReplayProof = void(const ReplayQuery& query, ReplayedProof& result);

}  // namespace symbolic

extern "C" symbolic::ReplayProof assay_symbolic_replay_proof __attribute__((visibility("default")));
