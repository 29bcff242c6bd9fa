// Which forward operator a backward operator belongs to, by autograd's sequence numbers.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "shared_ir/capture/record/tape.h"

namespace assay {

class ForwardOrigins {
 public:
  // The origin to record for an operator that was called at `here`:
  // * outside the backward pass, and in the backward of the user's own autograd function: `here`;
  // * in the backward of a LibTorch operator: that operator's origin, marked;
  // * between autograd nodes (gradients that are added up): the origin of the last operand, which
  // the caller gives.
  Origin resolve(Origin here, const Origin* last_operand) const;

  // To be called for each operator recorded: an autograd node that was made just before it belongs
  // to it.
  void remember(const Origin& origin);

 private:
  std::unordered_map<uint64_t, Origin> by_sequence_number_;
};

}  // namespace assay
