#include "shared_ir/capture/record/recording.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/library.h>

#include "shared_ir/capture/record/recorder.h"
#include "shared_ir/capture/record/whole_composites.h"
#include "shared_ir/capture/torch/formulas_without_values.h"

namespace assay {
namespace {

constexpr auto kKind = c10::DebugInfoKind::TEST_INFO;

// Travels to autograd's threads with the rest of the calling thread's state.
struct RecorderInfo : c10::DebugInfoBase {
  explicit RecorderInfo(Recorder* active_recorder) : recorder(active_recorder) {}
  Recorder* recorder;
};

RecorderInfo* active() {
  return dynamic_cast<RecorderInfo*>(c10::ThreadLocalDebugInfo::get(kKind));
}

void fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard once(c10::DispatchKey::Fake);
  const auto below =
      keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::Fake);
  auto* info = active();
  if (info == nullptr) {
    op.redispatchBoxed(below, stack);
  } else {
    info->recorder->call(op, below, stack);
  }
}

// The key Fake is LibTorch's own for tracing from Python, which a C++ program does not use. It lies
// below autograd, so that composite operators arrive decomposed, and above the choice of a backend,
// so that factories are seen.
void register_fallback() {
  static auto* library = [] {
    auto* registration =
        new torch::Library(torch::Library::IMPL, "_", c10::DispatchKey::Fake, __FILE__, __LINE__);
    registration->fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
    return registration;
  }();
  static_cast<void>(library);
}

}  // namespace

bool is_recording() {
  return active() != nullptr && !c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::Fake);
}

struct Recording::Active {
  Active(std::string name, RecordingOptions options)
      : recorder(std::move(name), std::move(options)),
        info(kKind, std::make_shared<RecorderInfo>(&recorder)),
        include(c10::DispatchKey::Fake) {}

  const FormulasWithoutValues formulas;
  Recorder recorder;
  c10::DebugInfoGuard info;
  c10::impl::IncludeDispatchKeyGuard include;
};

Recording::Recording(std::string name, RecordingOptions options) {
  register_fallback();
  register_whole_composites();
  active_ = std::make_unique<Active>(std::move(name), std::move(options));
}

Recording::~Recording() = default;

void Recording::input(const std::string& name, const at::Tensor& tensor) {
  active_->recorder.input(name, tensor);
}

void Recording::output(const std::string& name, const at::Tensor& tensor) {
  const c10::impl::ExcludeDispatchKeyGuard silent(c10::DispatchKey::Fake);
  active_->recorder.output(name, tensor);
}

int64_t Recording::size_of(const at::Tensor& tensor, std::optional<int64_t> at_most) {
  const c10::impl::ExcludeDispatchKeyGuard silent(c10::DispatchKey::Fake);
  return active_->recorder.size_of(tensor, at_most);
}

const std::vector<SizeRead>& Recording::sizes_read() const {
  return active_->recorder.sizes_read();
}

Graph Recording::finish() {
  const c10::impl::ExcludeDispatchKeyGuard silent(c10::DispatchKey::Fake);
  return active_->recorder.finish();
}

}  // namespace assay
