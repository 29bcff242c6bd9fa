// Questions about boxes that arithmetic on intervals leaves open, and who answers them: z3, a
// module that is loaded with the first question. Nothing here knows z3.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/base/module.h"
#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// kUnknown: the time was up, or there is no solver. It is never a pass.
enum class Answer : uint8_t { kYes, kNo, kUnknown };

// Restrictions of hidden labels (kBox or kMax) that hold together.
using Boxes = std::vector<Restriction>;

// Does each value of the labels that lies in `whole` lie in exactly one of `parts` (in at least
// one, when they may overlap)? Each part's restrictions include those of `whole`. An example that
// intervals do not answer: k % 3 = 0 beside k in [1, 3) and k in [4, 6), of k in [0, 6).
struct PartitionQuery {
  std::map<LabelId, Int> sizes;  // of each restricted label: its values are [0, size)
  Boxes whole;
  std::vector<Boxes> parts;
  bool may_overlap = false;
};

class Solver {
 public:
  // limit: for one question.
  explicit Solver(std::chrono::milliseconds limit = std::chrono::seconds(2)) : limit_(limit) {}

  // Asks nobody when the parts' sizes alone say no. Equal questions are asked once. Throws
  // InternalError when a label has no size, or a size that a restriction's digit does not divide.
  Answer decide(const PartitionQuery& query);

  // Questions that z3 was asked.
  Int asked() const { return static_cast<Int>(answers_.size()) - unasked_; }

  // How often z3 was asked, in a line; none where it was not.
  std::vector<std::string> notes() const;
  // What stayed open and why, a line for each reason.
  std::vector<std::string> unanswered() const;

 private:
  Answer ask(const PartitionQuery& query);

  std::chrono::milliseconds limit_;
  std::optional<Module> module_;
  std::map<std::vector<Int>, Answer> answers_;
  Int unasked_ = 0;  // for want of the module
};

}  // namespace assay
