// The meaning of a proof's claims as numbers: evaluates what proof.h defines, element by element.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/reference/reference.h"
#include "tests/support/claims/claim_block.h"
#include "tests/support/scaled_number.h"

namespace assay::test {

/// A sum over more values than can be counted (all classes that a one-hot atom has room for).
struct TooLarge {};

class ClaimValues {
 public:
  /// `part(atom, element, labels)` is one summand of an atom that is no instance: labels are the
  /// values of the labels that it hides (none for most atoms).
  using Part = std::function<double(AtomId, int64_t element, const std::vector<int64_t>& labels)>;

  /// `programs` say how block functions read their operands. All references must outlive this.
  ClaimValues(const Universe& universe, std::vector<const CoreProgram*> programs, Part part);
  ~ClaimValues();

  /// Element `at` of the value. Throws MeaninglessClaim and TooLarge.
  double element(const Value& value, const Shape& at);
  ReferenceTensor tensor(const Value& value);

 private:
  struct AtomPart;

  AtomPart& part_of(AtomId atom, std::vector<Restriction> boxes);
  ScaledNumber at(AtomPart& part, int64_t index);
  ScaledNumber compute(AtomPart& part, int64_t index);
  double source(AtomPart& part, int64_t index);
  ScaledNumber reduce(AtomPart& part, std::vector<int64_t> operand_address);
  ScaledNumber call_map(AtomPart& part, const std::vector<int64_t>& operand_address);
  ScaledNumber combine(AtomPart& part, const std::vector<int64_t>& operand_address);
  ScaledNumber piece(AtomPart& part, int64_t index);
  /// Stores all elements of the block that `index` lies in.
  void call_block(AtomPart& part, int64_t index, const std::vector<int64_t>& operand_address);
  ScaledNumber term(const Term& term, const Shape& at);
  const Atom& atom(AtomId id) const { return universe_.atoms[static_cast<size_t>(id)]; }

  const Universe& universe_;
  std::vector<const CoreProgram*> programs_;
  Part part_source_;
  std::map<std::pair<AtomId, std::string>, std::unique_ptr<AtomPart>> parts_;
};

/// Address of the element `at` in a layout.
int64_t address_of(const Layout& layout, const Shape& at);

}  // namespace assay::test
