// A process group that says each collective to a listener before it makes it.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/util/intrusive_ptr.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dynamic_check/run/execute/processes/collective_ledger.h"
#include "shared_ir/mesh.h"

namespace c10d {
class Backend;
class ProcessGroup;
}  // namespace c10d

namespace assay {

// A backend failed in a collective, when it was called or when its result was waited for.
struct CollectiveFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using CallListener = std::function<void(const WatchedCall&)>;

// `backend`: of that group and device. `ranks` in group order. The program's calls throw
// CollectiveFailed where the backend throws.
c10::intrusive_ptr<c10d::ProcessGroup> make_watched_group(const std::string& name,
                                                          const std::vector<Rank>& ranks,
                                                          c10::DeviceType device,
                                                          c10::intrusive_ptr<c10d::Backend> backend,
                                                          CallListener listener);

}  // namespace assay
