// Collectives that were issued and that the program has not waited for: until then they may still
// read and write. A read of what one fills gets what was there before or something in between, and
// a write into what one sends changes what arrives. Which memory that is, `in_flight` of its
// declaration says. A collective that the program never waits for is taken to be done where it is
// issued, which is noted where the program rests on it.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/lower/build/builder.h"
#include "shared_ir/memory/storage_versions.h"
#include "shared_ir/site.h"

namespace assay::memory {

class InFlight {
 public:
  InFlight(const Memory& memory, lowering::Builder& builder) : memory_(memory), builder_(builder) {}

  // `node` goes on while it fills and reads the memory of these tensors.
  void issue(const Node& node, std::vector<TensorId> filled, std::vector<TensorId> read);

  // The node at `site` reads and writes the memory of these tensors.
  void use(const lowering::Site& site, const std::vector<TensorId>& read,
           const std::vector<TensorId>& written);

  // The node at `site` waits for what fills `tensor`. Throws UserError at a node before it that
  // came too early.
  void wait(const lowering::Site& site, TensorId tensor);

  // The same for the work of a node (Node::awaits).
  void wait_for_work(const lowering::Site& site, int32_t work);

  // The program ends, with these results: what is still in flight is not waited for, but for works.
  void finish(const std::vector<TensorId>& outputs);

 private:
  struct Flight {
    const Node* node;
    std::vector<TensorId> filled, read;
    lowering::Site early;  // the first node that does not wait; none: no node
    std::string what;      // it does
  };

  // What one of the flights does that `ends` at `site`, too early.
  template <class Ends>
  void end(const lowering::Site& site, const Ends& ends);
  bool touches(const std::vector<TensorId>& tensors, TensorId tensor) const;

  const Memory& memory_;
  lowering::Builder& builder_;
  std::vector<Flight> flights_;
};

}  // namespace assay::memory
