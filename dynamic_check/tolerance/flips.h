// Integers and booleans that rounding decides: how they differ between perturbed runs.
// When more runs are made and how many: judge/references.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace assay {

// Where perturbed runs of the sequential program differ from the unperturbed one, element by
// element. An element that differs in one of them may differ in the ranks' run. Others may flip
// there as well, though no run has shown it: as many as runs show that are seen once (Good, "The
// population frequencies of species", Biometrika 1953), in clumps as large as the largest of a run.
class Flips {
 public:
  // One perturbed run's tensor, of the shape and dtype of the unperturbed run's.
  void add(const at::Tensor& run, const at::Tensor& sample);

  // Those of further runs.
  void add(const Flips& further);

  bool any() const { return counts_.defined(); }
  int64_t runs() const { return runs_; }

  // Elements that differ in some run; those that do are true in `where`, which is undefined where
  // there are none.
  int64_t elements() const;
  at::Tensor where() const;

  // Elements beyond these that may differ in one more run, but for this chance. 0 where no run
  // showed a flip.
  int64_t unseen(double chance) const;

 private:
  at::Tensor counts_;  // of runs in which an element differs; undefined: in none
  int64_t runs_ = 0;
  int64_t largest_ = 0;  // elements that differ in one run
};

}  // namespace assay
