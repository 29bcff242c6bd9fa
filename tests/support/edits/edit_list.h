// The edits of one certificate as they are found, and what decides whether an edit changes the
// meaning.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/edits/certificate_edits.h"

namespace assay::test {

inline constexpr Rank kSequential = -1;

/// The claims of the sequential program or of a rank.
std::vector<Value>& claims(Replay& replay, Rank rank);
const std::vector<Value>& claims(const Replay& replay, Rank rank);

/// A tile of a claim.
struct Place {
  Rank rank;
  size_t op;
  size_t tile;
};

class EditList {
 public:
  explicit EditList(const Replay& replay)
      : replay_(replay), universe_(replay.certificate.universe) {}

  const Replay& replay() const { return replay_; }
  const Universe& universe() const { return universe_; }

  void add(EditKind kind, std::string what, std::function<void(Replay&)> apply);
  void add(EditKind kind, const Place& at, const std::string& what,
           std::function<void(Tile&)> edit);
  std::vector<CertificateEdit> take(EditKind kind) { return std::move(edits_[kind]); }

  const Atom& atom(AtomId id) const { return universe_.atoms[static_cast<size_t>(id)]; }
  /// Null where no instance makes the atom.
  const Instance* instance(AtomId id) const;
  bool is_constant(AtomId id) const;
  /// Whether an integer may have this value: not an index that lies in no table of the sequential
  /// program.
  bool may_be(AtomId id, int64_t value) const;
  bool may_be_in(AtomId id, const Interval& values) const;
  bool is_unknown(AtomId id) const;

  /// Different addresses are different elements: no label that nothing reads.
  bool every_label_is_read(AtomId id);
  /// No term of unknown value.
  bool knows(const Value& value) const;
  /// The claims say different things about values that are known.
  bool differ(const Value& a, const Value& b) const;

 private:
  const Replay& replay_;
  const Universe& universe_;
  std::map<AtomId, bool> read_;
  std::map<EditKind, std::vector<CertificateEdit>> edits_;
};

/// Edits of claims about tensors.
void add_claim_edits(EditList& list);
/// Edits of one term of a claim: its coefficient, view, atom and restrictions.
void add_term_edits(EditList& list, const Place& at, size_t term);
/// Edits of a restriction of a term.
void add_restriction_edits(EditList& list, const Place& at, size_t term, size_t restriction);
/// Edits of the instances that make the atoms of the claims.
void add_definition_edits(EditList& list);
/// Edits of the collectives in the ranks' programs.
void add_collective_edits(EditList& list);
/// Edits of how sequential tensors are made of distributed ones.
void add_relation_edits(EditList& list);

}  // namespace assay::test
