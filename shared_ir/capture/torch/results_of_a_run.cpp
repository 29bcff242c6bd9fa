#include "shared_ir/capture/torch/results_of_a_run.h"

#include <ATen/Parallel.h>
#include <ATen/core/Formatting.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include "shared_ir/capture/torch/arguments.h"
#include "shared_ir/capture/torch/isolated_process.h"
#include "shared_ir/capture/torch/result_text.h"
#include "shared_ir/capture/torch/stand_in.h"

namespace assay {
namespace {

// The first letter of a message.
constexpr char kGave = '+', kRefused = '-';

std::string library_of(const c10::OperatorName& name) {
  return name.name.substr(0, name.name.find("::"));
}

std::string way_to_shapes(const c10::OperatorName& name) {
  const std::string library = library_of(name);
  if (library == "aten")
    return "use another operator; one whose shape depends on shapes alone can be added to Assay "
           "(shared_ir/capture/torch/shape_functions.cpp)";
  return "give it a kernel that returns empty tensors of the right shapes: TORCH_LIBRARY_IMPL(" +
         library + ", Meta, m)";
}

std::string without_values(const c10::OperatorName& name) {
  if (name.name == "aten::one_hot") return "give one_hot its number of classes";
  return "keep sizes that do not depend on values: mask elements (where, masked_fill) instead of "
         "selecting them, take the k greatest (topk), count into a table of fixed size "
         "(scatter_add), pass output_size or num_classes where the operator takes it; or capture "
         "the program by torch.export or make_fx, and check it as fx-JSON";
}

// Meta tensors of an argument become what `replace` makes of them; numbers that were wrapped into
// tensors have values and stay.
c10::IValue with_tensors(const c10::IValue& value,
                         const std::function<at::Tensor(const at::Tensor&)>& replace) {
  const auto replaced = [&](const at::Tensor& tensor) {
    return tensor.defined() && tensor.is_meta() ? replace(tensor) : tensor;
  };
  if (value.isTensor()) return replaced(value.toTensor());
  if (value.isDevice()) return c10::Device(c10::kCPU);
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(replaced(tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const c10::IValue& element : value.toListRef())
      list.push_back(element.isNone() ? std::nullopt : std::optional(replaced(element.toTensor())));
    return list;
  }
  return value;
}

std::vector<at::Tensor> meta_tensors(c10::ArrayRef<c10::IValue> arguments) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& argument : arguments)
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (tensor.is_meta()) tensors.push_back(tensor);
    });
  return tensors;
}

// Equal for calls that have equal results.
std::string call_text(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  std::ostringstream text;
  text << op.operator_name();
  for (const c10::IValue& argument : arguments) {
    text << '|';
    bool has_tensors = false;
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      has_tensors = true;
      text << tensor.scalar_type() << tensor.sizes() << tensor.strides();
      if (!tensor.is_meta()) text << '=' << tensor.item();
      text << ';';
    });
    if (!has_tensors) text << argument;
  }
  return text.str();
}

// In a process of its own.
std::string run(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                StandInValues values) {
  try {
    std::vector<at::Tensor> operands;
    torch::jit::Stack stack;
    for (const c10::IValue& argument : arguments)
      stack.push_back(with_tensors(argument, [&](const at::Tensor& meta) {
        return operands.emplace_back(make_stand_in(meta, values));
      }));
    std::vector<std::vector<int64_t>> sizes;
    for (const at::Tensor& operand : operands) sizes.push_back(operand.sizes().vec());
    op.callBoxed(&stack);
    for (size_t i = 0; i < operands.size(); ++i)
      TORCH_CHECK(operands[i].sizes() == at::IntArrayRef(sizes[i]),
                  "it gives one of its operands another shape");
    return kGave + result_text(stack, operands);
  } catch (const c10::Error& error) {
    return kRefused + std::string(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return kRefused + std::string(error.what());
  }
}

// What it warns of, the run on real tensors warns of again.
class Silence : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string found_by_running(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  const IsolatedRun isolated = run_isolated([&](const SendMessage& send) {
    at::set_num_threads(1);
    Silence silence;
    c10::WarningUtils::set_warning_handler(&silence);
    const at::AutoDispatchBelowADInplaceOrView no_gradient;
    for (const StandInValues values : kStandInValues) send(run(op, arguments, values));
  });
  const c10::OperatorName& name = op.operator_name();
  const std::string *gave = nullptr, *refused = nullptr;
  for (const std::string& message : isolated.messages) {
    const std::string*& first = message[0] == kGave ? gave : refused;
    if (first == nullptr) first = &message;
    if (message[0] == kGave && message != *gave)
      throw NoResults("the shapes of its results depend on values", without_values(name), true);
  }
  if (gave != nullptr) return gave->substr(1);
  if (refused != nullptr)
    throw NoResults(
        "it has no kernel for meta tensors, and run on CPU tensors for the shapes of "
        "its results it says: " +
            first_line(refused->substr(1)),
        way_to_shapes(name));
  throw NoResults(
      "it has no kernel for meta tensors, and run on CPU tensors for the shapes of its results "
      "it " +
          isolated.failure,
      way_to_shapes(name));
}

}  // namespace

std::vector<c10::IValue> results_of_a_run(const c10::OperatorHandle& op,
                                          c10::ArrayRef<c10::IValue> arguments) {
  if (op.hasTag(at::Tag::dynamic_output_shape))
    throw NoResults("the shapes of its results depend on values",
                    without_values(op.operator_name()), true);
  if (op.hasTag(at::Tag::data_dependent_output))
    throw NoResults("its result depends on values, and a captured program has none",
                    "keep the value in a tensor, or pass it to the program as a constant");
  static std::mutex mutex;
  static std::unordered_map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(call_text(op, arguments));
  if (is_new) {
    try {
      entry->second = found_by_running(op, arguments);
    } catch (...) {
      known.erase(entry);
      throw;
    }
  }
  return read_results(entry->second, meta_tensors(arguments));
}

}  // namespace assay
