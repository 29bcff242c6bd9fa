#include "tests/support/edits/certificate_edits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/edits/edit_list.h"

namespace assay::test {

const char* to_string(EditKind kind) {
  switch (kind) {
    case EditKind::kBox:
      return "box";
    case EditKind::kOffset:
      return "offset";
    case EditKind::kRank:
      return "rank";
    case EditKind::kGroup:
      return "group";
    case EditKind::kOrder:
      return "order";
    case EditKind::kCoefficient:
      return "coefficient";
    case EditKind::kAtom:
      return "atom";
    case EditKind::kDefinition:
      return "definition";
  }
  return "";
}

std::vector<CertificateEdit> certificate_edits(const Replay& replay, size_t most) {
  EditList list(replay);
  add_claim_edits(list);
  add_definition_edits(list);
  add_collective_edits(list);
  add_relation_edits(list);
  std::vector<CertificateEdit> chosen;
  for (const EditKind kind : kEditKinds) {
    std::vector<CertificateEdit> all = list.take(kind);
    const size_t step = std::max<size_t>(1, all.size() / most);
    for (size_t i = 0, taken = 0; i < all.size() && taken < most; i += step, ++taken)
      chosen.push_back(std::move(all[i]));
  }
  return chosen;
}

EditOutcome check_edits(const Replay& replay, size_t most) {
  EditOutcome outcome;
  for (const CertificateEdit& edit : certificate_edits(replay, most)) {
    Replay edited = replay;
    edit.apply(edited);
    if (edited.check().accepted)
      outcome.accepted.push_back(std::string(to_string(edit.kind)) + ": " + edit.what);
    else
      ++outcome.rejected[edit.kind];
  }
  return outcome;
}

void expect_edits_rejected(const Replay& replay, int of_each_kind, std::optional<int> least,
                           const std::set<EditKind>& none) {
  const EditOutcome outcome = check_edits(replay, static_cast<size_t>(of_each_kind));
  for (const std::string& edit : outcome.accepted) ADD_FAILURE() << "accepted after " << edit;
  for (const EditKind kind : kEditKinds) {
    const auto rejected = outcome.rejected.find(kind);
    if (none.contains(kind)) {
      EXPECT_EQ(rejected, outcome.rejected.end()) << to_string(kind);
      continue;
    }
    ASSERT_NE(rejected, outcome.rejected.end()) << to_string(kind);
    const int expected = kind == EditKind::kDefinition ? 1 : least.value_or(of_each_kind);
    EXPECT_GE(rejected->second, expected) << to_string(kind);
  }
}

}  // namespace assay::test
