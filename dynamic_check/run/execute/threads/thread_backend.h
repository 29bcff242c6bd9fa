// A c10d backend whose ranks are threads of this process: GroupMember's collectives, on tensors.
#pragma once

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <string>
#include <vector>

#include "dynamic_check/question/question.h"
#include "dynamic_check/run/execute/threads/rendezvous.h"
#include "shared_ir/mesh.h"

namespace c10d {
class ProcessGroup;
}

namespace assay {

// The process group of one rank, on the given device type, registered under `name` for this
// thread's functional collectives. `ranks` in group order. The completion hook may be empty.
c10::intrusive_ptr<c10d::ProcessGroup> make_thread_group(const std::string& name,
                                                         const std::vector<Rank>& ranks, Rank rank,
                                                         at::Device device,
                                                         std::shared_ptr<Rendezvous> rendezvous,
                                                         CompletionHook completion);

}  // namespace assay
