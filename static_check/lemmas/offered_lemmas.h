// The lemmas that a search for a proof may use: those that ship with Assay, and the user's.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared_ir/proof/lemma.h"
#include "shared_ir/proof/lemma_proof.h"
#include "shared_ir/report/report.h"

namespace assay {

// One of the user's is certified when a proof first uses it, and proves nothing where it is not.
// Those that ship are certified when they are written.
class OfferedLemmas {
 public:
  // `certified`: the user's lemmas that are known to be; the others are not offered then. Throws
  // UserError as lemmas_with_files does.
  OfferedLemmas(const std::vector<std::filesystem::path>& files,
                const std::optional<std::set<std::string>>& certified);

  const LemmaTable& table() const { return table_; }

  // Certifies those of the user's lemmas that the proof uses. False where one is not certified: the
  // proof proves nothing, and the lemma is no longer offered.
  bool allow(const LemmaProof& proof);

  // Lines of the report: the user's that no proof used.
  std::vector<std::string> notes_of_unused() const;

  // The user's that proofs used, in that order.
  const std::vector<LemmaReport>& certifications() const { return certifications_; }

 private:
  bool is_certified(const Lemma& lemma);
  void withdraw(const std::string& name);

  LemmaTable table_;
  std::set<std::string> unknown_;  // the user's that nobody has certified yet
  std::vector<LemmaReport> certifications_;
};

// What a replay of proofs may use: the lemmas that ship, and the user's with these names.
LemmaTable lemmas_with_certified(const std::vector<std::filesystem::path>& files,
                                 const std::set<std::string>& certified);

// The user's lemmas that a proof used and that are certified.
std::set<std::string> certified_lemmas(const StaticReport& report);

// Of a lemma of the user: ", certified at d = 1; d = 2, by the axioms exp_sum". Else empty.
std::string where_certified(const std::vector<LemmaReport>& lemmas, const std::string& name);

}  // namespace assay
