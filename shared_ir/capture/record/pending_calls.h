// Collectives that the program has called and not yet waited for: until then they may still read
// and write its memory. A program that does not wait is refused: what it computes is up to chance.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/capture/record/tape.h"

namespace assay {

// Work that a call has returned. Outlives the recording where the program keeps it.
struct AwaitedCall {
  std::shared_ptr<const NodeId> now;  // the node that is recorded next
  NodeId before = kNone;              // the one before which the program has waited first

  void wait() {
    if (before == kNone) before = *now;
  }
};

class PendingCalls {
 public:
  explicit PendingCalls(Tape& tape) : tape_(tape) {}

  // The call that `node` records goes on until somebody waits for `awaited`; so does wait_for() a
  // tensor that it fills where `by_tensor`.
  void begin(std::string op, NodeId node, std::vector<at::Tensor> filled,
             std::vector<at::Tensor> read, std::shared_ptr<AwaitedCall> awaited, bool by_tensor);

  // The program reads, or writes, the memory of this tensor. Throws UserError where a call that is
  // pending fills it, or reads what is written.
  void before_read(const at::Tensor& tensor);
  void before_write(const at::Tensor& tensor);

  // The same for what an operator reads and writes that is no collective.
  void before_call(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments);

  void wait_for(const at::Tensor& tensor);

  // The program ends. Throws UserError where a call was not waited for.
  void finish();

 private:
  struct Call {
    std::string op;
    NodeId node;
    CallSite site;
    std::vector<at::Tensor> filled, read;
    std::shared_ptr<AwaitedCall> awaited;
    bool by_tensor;
  };

  void drop_done();
  [[noreturn]] void too_early(const Call& call, const char* use, const char* meanwhile);

  Tape& tape_;
  std::vector<Call> calls_;
};

}  // namespace assay
