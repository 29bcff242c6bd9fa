#include "shared_ir/capture/torch/formulas_without_values.h"

#include <c10/core/SymBool.h>
#include <c10/core/SymInt.h>
#include <c10/core/SymIntArrayRef.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/PyInterpreter.h>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

using c10::TensorImpl;

[[noreturn]] void not_asked() {
  throw InternalError("LibTorch asks for a Python that is not there");
}

// LibTorch asks an active mode's interpreter for one thing, and takes no for an answer: whether a
// copy of a tensor object is to be another class's.
struct NoInterpreter final : c10::impl::PyInterpreterVTable {
  std::string name() const override { return "none"; }
  void incref(PyObject*) const override {}
  void decref(PyObject*) const override {}
  bool try_incref(const c10::impl::PyObjectSlot&) const override { return false; }
  size_t refcnt(PyObject*) const override { return 1; }
  c10::intrusive_ptr<TensorImpl> detach(const TensorImpl*) const override { return {}; }
  void dispatch(const c10::OperatorHandle&, torch::jit::Stack*) const override { not_asked(); }
  void reportErrorCallback(PyObject*, c10::DispatchKey) const override {}
  void python_op_registration_trampoline(const c10::OperatorHandle&, c10::DispatchKey,
                                         c10::DispatchKeySet, torch::jit::Stack*, bool,
                                         bool) const override {
    not_asked();
  }
  void throw_abstract_impl_not_imported_error(std::string, const char*,
                                              const char*) const override {
    not_asked();
  }
  void python_dispatcher(const c10::OperatorHandle&, c10::DispatchKeySet,
                         torch::jit::Stack*) const override {
    not_asked();
  }
  bool is_contiguous(const TensorImpl*, at::MemoryFormat) const override { not_asked(); }
  c10::SymBool sym_is_contiguous(const TensorImpl*, at::MemoryFormat) const override {
    not_asked();
  }
  bool is_strides_like(const TensorImpl*, at::MemoryFormat) const override { not_asked(); }
  bool is_non_overlapping_and_dense(const TensorImpl*) const override { not_asked(); }
  c10::Device device(const TensorImpl*) const override { not_asked(); }
  int64_t dim(const TensorImpl*) const override { not_asked(); }
  c10::IntArrayRef strides(const TensorImpl*) const override { not_asked(); }
  c10::IntArrayRef sizes(const TensorImpl*) const override { not_asked(); }
  c10::SymIntArrayRef sym_sizes(const TensorImpl*) const override { not_asked(); }
  c10::Layout layout(const TensorImpl*) const override { not_asked(); }
  int64_t numel(const TensorImpl*) const override { not_asked(); }
  c10::SymInt sym_numel(const TensorImpl*) const override { not_asked(); }
  c10::SymIntArrayRef sym_strides(const TensorImpl*) const override { not_asked(); }
  c10::SymInt sym_storage_offset(const TensorImpl*) const override { not_asked(); }
  void trace_gpu_event_creation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_event_deletion(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_event_record(c10::DeviceType, uintptr_t, uintptr_t) const override {}
  void trace_gpu_event_wait(c10::DeviceType, uintptr_t, uintptr_t) const override {}
  void trace_gpu_memory_allocation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_memory_deallocation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_stream_creation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_device_synchronization(c10::DeviceType) const override {}
  void trace_gpu_stream_synchronization(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_event_synchronization(c10::DeviceType, uintptr_t) const override {}
  void reset_backward_hooks(const TensorImpl*) const override {}
};

// Outlives all threads: modes travel with the state of a thread.
c10::impl::PyInterpreter& no_interpreter() {
  static auto* const interpreter = new c10::impl::PyInterpreter(new NoInterpreter);
  return *interpreter;
}

using Modes = c10::impl::TorchDispatchModeTLS;

}  // namespace

FormulasWithoutValues::FormulasWithoutValues() : before_(Modes::get_state()) {
  // The mode is there to be asked for alone: nothing is dispatched to it.
  const c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  Modes::push_non_infra_mode_onto_stack(
      std::make_shared<c10::impl::PyObject_TorchDispatchMode>(nullptr, &no_interpreter()));
  c10::impl::_force_tls_local_dispatch_key_set(keys);
}

FormulasWithoutValues::~FormulasWithoutValues() {
  const c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  Modes::set_state(before_);
  c10::impl::_force_tls_local_dispatch_key_set(keys);
}

}  // namespace assay
