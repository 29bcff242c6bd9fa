// Well-formed edits of a certificate that change what it says: none of them may be accepted.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/claims/replay.h"

namespace assay::test {

enum class EditKind { kBox, kOffset, kRank, kGroup, kOrder, kCoefficient, kAtom, kDefinition };
inline constexpr EditKind kEditKinds[] = {
    EditKind::kBox,   EditKind::kOffset,      EditKind::kRank, EditKind::kGroup,
    EditKind::kOrder, EditKind::kCoefficient, EditKind::kAtom, EditKind::kDefinition};

const char* to_string(EditKind kind);

struct CertificateEdit {
  EditKind kind;
  std::string what;
  std::function<void(Replay&)> apply;
};

/// At most `most` edits of each kind, spread over the certificate. Every edit keeps shapes, address
/// ranges and label domains intact, and is left out where it might not change the meaning:
///   box          a part of a sum or maximum has other bounds, is the rest, or is the whole; a
///   whole
///                is a part; a guard or a piece of an integer map begins elsewhere
///   offset       a view, or a piece of an integer map, moves
///   rank         a claim or a leaf of a relation becomes another rank's, where the two differ
///   group        a member leaves a collective, or the collective is another one, in all programs
///                or in some; a member leaves the sum of a relation, or counts twice
///   order        different tiles, dimensions, pieces of a concat, or members change places; a view
///                is read column by column
///   coefficient  a term is scaled or negated
///   atom         a term reads another input
///   definition   an instance reads elsewhere or in another order, or is another function
/// Claims about unknown values (uninitialised, random, not understood) are left alone: they may be
/// anything.
std::vector<CertificateEdit> certificate_edits(const Replay& replay, size_t most);

struct EditOutcome {
  std::map<EditKind, int> rejected;
  std::vector<std::string> accepted;  // what was edited
};

/// Applies each of these edits alone and checks the certificate.
EditOutcome check_edits(const Replay& replay, size_t most);

/// Expects that each of up to `of_each_kind` edits of each kind is rejected, and that there are so
/// many, or `least` where that is given (definitions are few: one at least). Of the kinds in `none`
/// the certificate has nothing that could be edited.
void expect_edits_rejected(const Replay& replay, int of_each_kind, std::optional<int> least = {},
                           const std::set<EditKind>& none = {});

}  // namespace assay::test
