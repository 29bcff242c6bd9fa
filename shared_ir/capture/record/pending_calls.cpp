#include "shared_ir/capture/record/pending_calls.h"

#include <algorithm>

#include "shared_ir/capture/torch/arguments.h"
#include "shared_ir/memory/layout.h"

namespace assay {
namespace {

memory::Strided layout_of(const at::Tensor& tensor) {
  return {tensor.storage_offset(), tensor.sizes().vec(), tensor.strides().vec()};
}

bool overlap(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined() || !a.is_alias_of(b)) return false;
  // Of other types, offsets count other elements.
  return a.scalar_type() != b.scalar_type() || !memory::are_apart(layout_of(a), layout_of(b));
}

bool touches(const std::vector<at::Tensor>& tensors, const at::Tensor& tensor) {
  return std::ranges::any_of(tensors,
                             [&](const at::Tensor& other) { return overlap(other, tensor); });
}

// Asks a tensor for its shape and type alone.
bool looks_at_no_element(const c10::OperatorHandle& op) {
  const std::string& name = op.operator_name().name;
  return name.ends_with("_like") || name.starts_with("aten::new_");
}

std::string described(const std::string& op, const SourcePlace& place) {
  return place.known() ? op + " (" + to_string(place) + ")" : op;
}

constexpr const char* kWait =
    "wait for it first: call wait() on the Work that the collective returned";

}  // namespace

void PendingCalls::drop_done() {
  std::erase_if(calls_, [&](const Call& call) {
    if (call.awaited->before == kNone) return false;
    tape_.set_awaited(call.node, call.awaited->before);
    return true;
  });
}

void PendingCalls::begin(std::string op, NodeId node, std::vector<at::Tensor> filled,
                         std::vector<at::Tensor> read, std::shared_ptr<AwaitedCall> awaited,
                         bool by_tensor) {
  if (filled.empty() && read.empty()) return;
  tape_.set_pending(node);
  calls_.push_back({std::move(op), node, tape_.origin().site, std::move(filled), std::move(read),
                    std::move(awaited), by_tensor});
}

void PendingCalls::too_early(const Call& call, const char* use, const char* meanwhile) {
  const SourcePlace place =
      call.site == kNone ? SourcePlace{} : tape_.call_sites().resolve(call.site);
  throw UserError(tape_.place(),
                  std::string("memory is ") + use + " here while " + described(call.op, place) +
                      " may still " + meanwhile + " it: the program has not waited for that",
                  kWait);
}

void PendingCalls::before_read(const at::Tensor& tensor) {
  drop_done();
  for (const Call& call : calls_)
    if (touches(call.filled, tensor)) too_early(call, "read", "fill");
}

void PendingCalls::before_write(const at::Tensor& tensor) {
  drop_done();
  for (const Call& call : calls_) {
    if (touches(call.filled, tensor)) too_early(call, "written", "fill");
    if (touches(call.read, tensor)) too_early(call, "written", "read");
  }
}

void PendingCalls::before_call(const c10::OperatorHandle& op,
                               std::span<const c10::IValue> arguments) {
  // Those that give a tensor another shape in place move no data.
  if (calls_.empty() || op.hasTag(at::Tag::inplace_view)) return;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* alias = op.schema().arguments()[i].alias_info();
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      if (alias != nullptr && alias->isWrite())
        before_write(tensor);
      else if (alias == nullptr && !looks_at_no_element(op))  // others are views of it
        before_read(tensor);
    });
  }
}

void PendingCalls::wait_for(const at::Tensor& tensor) {
  for (const Call& call : calls_)
    if (call.by_tensor && std::ranges::any_of(call.filled, [&](const at::Tensor& filled) {
          return filled.is_alias_of(tensor);
        }))
      call.awaited->wait();
}

void PendingCalls::finish() {
  drop_done();
  if (calls_.empty()) return;
  const Call& call = calls_.front();
  throw UserError(call.site == kNone ? SourcePlace{} : tape_.call_sites().resolve(call.site),
                  "the program never waits for this " + call.op +
                      ": what it fills, and what others get, is not known to be there",
                  "call wait() on the Work that the collective returned");
}

}  // namespace assay
