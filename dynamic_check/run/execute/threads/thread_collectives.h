// One rank thread's part in the collectives of one group, on memory alone: what the backend of rank
// threads computes and moves. Needs no LibTorch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dynamic_check/buffers/buffers.h"
#include "dynamic_check/question/question.h"
#include "dynamic_check/run/execute/threads/pending_results.h"
#include "dynamic_check/run/execute/threads/rendezvous.h"
#include "shared_ir/mesh.h"

namespace assay {

// How a member calls a collective.
struct GroupCall {
  const char* op;         // as CollectiveStart::op
  std::string signature;  // the same text on all members (Rendezvous::exchange)
  bool async = true;      // whether the program gets something that it can wait for
};

// Its calls wait for the other members, and throw RunAborted as Rendezvous does. Inputs may change
// once a call has returned, but for memory that they own: that goes to the others as it is. What a
// call returns is in place at once, or when it is delivered, as the hook says. Sizes and types that
// do not fit are a UserError. To be used in the rank's thread.
class GroupMember {
 public:
  using Buffers = std::vector<StridedBuffer>;
  using Destinations = std::vector<Destination>;

  // `ranks` in group order, with `rank` among them. The hook may be empty.
  GroupMember(std::string group, std::vector<Rank> ranks, Rank rank,
              std::shared_ptr<Rendezvous> rendezvous, CompletionHook completion);

  // Positions in the group.
  size_t index() const { return index_; }
  size_t size() const { return ranks_.size(); }

  // Each input, reduced over the members.
  PendingResults all_reduce(const GroupCall& call, Reduction reduction, const Buffers& inputs,
                            Destinations to);
  // The same for the root alone; the others have no destinations.
  PendingResults reduce(const GroupCall& call, Reduction reduction, size_t root,
                        const Buffers& inputs, Destinations to);
  // Each input of the root.
  PendingResults broadcast(const GroupCall& call, size_t root, const Buffers& inputs,
                           Destinations to);
  // One input of each member: a destination for each.
  PendingResults all_gather(const GroupCall& call, const StridedBuffer& input, Destinations to);
  // The same for the root alone; the others have no destinations.
  PendingResults gather(const GroupCall& call, size_t root, const StridedBuffer& input,
                        Destinations to);
  // The members' first inputs behind one another in the first destination, and so on.
  PendingResults all_gather_rows(const GroupCall& call, const Buffers& inputs, Destinations to);
  // An input for each member, reduced where it is for.
  PendingResults reduce_scatter(const GroupCall& call, Reduction reduction, const Buffers& inputs,
                                Destination to);
  // The same of each input's rows, as many for each member.
  PendingResults reduce_scatter_rows(const GroupCall& call, Reduction reduction,
                                     const Buffers& inputs, Destinations to);
  // An input for each member, and a destination for each.
  PendingResults all_to_all(const GroupCall& call, const Buffers& inputs, Destinations to);
  // `rows` of the input for each member (empty: as many for each), behind one another.
  PendingResults all_to_all_rows(const GroupCall& call, const StridedBuffer& input,
                                 const std::vector<int64_t>& rows, Destination to);
  // The root's input for each member; the others have none.
  PendingResults scatter(const GroupCall& call, size_t root, const Buffers& inputs, Destination to);
  void barrier(const GroupCall& call);

  // One message for each buffer. `signatures`, one for each, are those of the other side.
  void send(size_t to, const std::vector<std::string>& signatures, const Buffers& inputs);
  // What comes is in place when it is delivered, whatever the hook says: a call goes on until then.
  PendingResults receive(size_t from, const std::vector<std::string>& signatures, Destinations to);

 private:
  using Offers = std::vector<std::shared_ptr<const Buffers>>;  // by position in the group
  using Results = std::vector<CollectiveResult>;

  Completion start(const char* op);
  PendingResults finish(Completion completion, bool async, Results results, Destinations to);
  // `compute` has the offers of all members, and says what this one gets.
  template <typename Compute>
  PendingResults meet(const GroupCall& call, const Buffers& inputs, Destinations to,
                      const Compute& compute);

  const std::string group_;
  const std::vector<Rank> ranks_;
  const size_t index_;
  const std::shared_ptr<Rendezvous> rendezvous_;
  const CompletionHook completion_;
  int64_t calls_ = 0;  // of this group so far
};

}  // namespace assay
