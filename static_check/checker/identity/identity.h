// Equations of the programs' tensors by evaluation: both sides are computed, from what the claims
// say of inputs and random values, in finite fields where equal functions alone are equal.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "static_check/checker/identity/cuts/cuts.h"
#include "static_check/checker/joint.h"

namespace assay::checker {

// The programs are evaluated once, for the first equation, and by cases for each equation that this
// does not show. The joint must outlive this; its inputs,
// random operators, indices and collectives must have been checked.
class IdentityCheck {
 public:
  explicit IdentityCheck(const Joint& joint);
  ~IdentityCheck();
  IdentityCheck(const IdentityCheck&) = delete;
  IdentityCheck& operator=(const IdentityCheck&) = delete;

  // Equations of one sequential tensor, which hold at every element; it is a number for all inputs:
  // then what is checked from here on takes the ranks' tensors for it. Nothing has been checked
  // before. Throws Rejection where one does not hold, the tensor may be no number, or an equation
  // is of another form than Certificate::Evaluated says.
  void take(const std::string& what, std::span<const Certificate::Evaluated> equations);

  // The equation holds at every element. Whether the tensors' types fit is left to the caller. It
  // accepts other functions only by a coincidence of residues with both of two seeds, or where no
  // case that was drawn tells them apart (trials.h). Throws
  // Rejection where the equation does not hold, or where it cannot be evaluated.
  void check(const std::string& what, const CleanExpr& sequential, const CleanExpr& replica);

  // The ranks' tensors of the claim are the sequential one, which is a number for all inputs, where
  // what is cut is what the claim says of it. The claims of what is cut, and the shapes and types,
  // are left to the caller. Throws Rejection as above.
  void check_from_cuts(const std::string& what, const Certificate::EvaluatedClaim& claim);

  // What the evaluation takes constants of the programs for.
  const std::set<std::string>& notes() const { return notes_; }

 private:
  struct Evaluations;

  const identity::ComputedConstants& computed();

  const Joint& joint_;
  identity::Cuts cuts_;
  std::set<std::string> notes_;
  std::optional<identity::ComputedConstants> computed_;  // once asked for
  std::optional<identity::Cone> cone_;        // of what is claimed, where something is cut
  std::unique_ptr<Evaluations> evaluations_;  // once asked for
};

}  // namespace assay::checker
