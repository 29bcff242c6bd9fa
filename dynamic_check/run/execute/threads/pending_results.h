// What a collective gives one member, and where that goes: memory alone, without LibTorch.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dynamic_check/buffers/buffers.h"

namespace assay {

// Members' memory that makes one result: its parts behind one another, or their reduction.
struct CollectiveResult {
  std::vector<StridedBuffer> parts;  // at least one, of one type, without gaps
  std::optional<Reduction> reduction;
};

// Memory that a result is written to.
struct Destination {
  StridedBuffer memory;           // `owned`: from `data` on, what keeps it
  std::function<void()> written;  // called afterwards, in the same thread; may be empty
};

// The results of one call, each written once. Not for several threads at a time.
class PendingResults {
 public:
  // Throws UserError where the destination is of another type or number of elements.
  void add(CollectiveResult result, Destination to);

  // `fetch` waits for what is written to these destinations, one for each, and is called when it is
  // delivered: what it throws goes to who waits.
  void add_later(std::function<std::vector<CollectiveResult>()> fetch, std::vector<Destination> to);

  // Writes what was not written yet and lets go of all memory.
  void deliver();

 private:
  struct Entry {
    CollectiveResult result;
    Destination to;
  };
  std::vector<Entry> entries_;
  std::function<std::vector<CollectiveResult>()> fetch_;  // may be empty
  std::vector<Destination> fetched_to_;
};

}  // namespace assay
