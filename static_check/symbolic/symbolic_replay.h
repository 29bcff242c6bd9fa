// The proof of a case at an instance of its symbols, run again with integers that know how they
// depend on the symbols: at which other instances is it a proof as well?
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
};

ReplayedProof replay_proof(const ReplayQuery& query);

}  // namespace symbolic
