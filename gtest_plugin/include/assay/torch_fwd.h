// The two LibTorch types that a test's signatures speak of, declared only: a test includes the
// operators that it uses.
#pragma once

namespace at {
class Tensor;
}

namespace c10 {
namespace detail {
template <class TTarget>
struct intrusive_target_default_null_type;
}
template <class TTarget, class NullType>
class intrusive_ptr;
}  // namespace c10

namespace c10d {
class ProcessGroup;
}

namespace assay {

// c10::intrusive_ptr<c10d::ProcessGroup>
using ProcessGroupPtr =
    c10::intrusive_ptr<c10d::ProcessGroup,
                       c10::detail::intrusive_target_default_null_type<c10d::ProcessGroup>>;

}  // namespace assay
