#include "shared_ir/capture/torch/result_text.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>

#include <bit>
#include <sstream>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr int64_t kOwnMemory = -1;

void write_numbers(std::ostream& out, at::IntArrayRef numbers) {
  for (const int64_t number : numbers) out << ' ' << number;
}

void write_tensor(std::ostream& out, const at::Tensor& tensor,
                  const std::vector<at::Tensor>& operands) {
  if (!tensor.defined()) {
    out << " undefined";
    return;
  }
  int64_t shared = kOwnMemory;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (tensor.is_same(operands[i])) {
      out << " operand " << i;
      return;
    }
    if (shared == kOwnMemory && tensor.is_alias_of(operands[i])) shared = static_cast<int64_t>(i);
  }
  out << " tensor " << static_cast<int>(tensor.scalar_type()) << ' ' << tensor.dim();
  write_numbers(out, tensor.sizes());
  write_numbers(out, tensor.strides());
  out << ' ' << shared << ' ' << (shared == kOwnMemory ? 0 : tensor.storage_offset());
}

void write_value(std::ostream& out, const c10::IValue& value,
                 const std::vector<at::Tensor>& operands) {
  if (value.isNone()) {
    out << " none";
  } else if (value.isTensor()) {
    write_tensor(out, value.toTensor(), operands);
  } else if (value.isTensorList()) {
    out << " list " << value.toListRef().size();
    for (const c10::IValue& element : value.toListRef())
      write_tensor(out, element.toTensor(), operands);
  } else if (value.isBool()) {
    out << " bool " << value.toBool();
  } else if (value.isInt()) {
    out << " int " << value.toInt();
  } else if (value.isDouble()) {
    out << " double " << std::bit_cast<int64_t>(value.toDouble());
  } else {
    TORCH_CHECK(false, "a result of type ", value.tagKind(), " cannot be captured");
  }
}

class Parser {
 public:
  Parser(const std::string& text, const std::vector<at::Tensor>& operands)
      : in_(text), operands_(operands) {}

  std::vector<c10::IValue> results() {
    std::vector<c10::IValue> results;
    for (std::string kind; in_ >> kind;) results.push_back(value(kind));
    return results;
  }

 private:
  int64_t number() {
    int64_t number = 0;
    in_ >> number;
    ASSAY_CHECK(static_cast<bool>(in_), "a result's text has a number");
    return number;
  }

  std::vector<int64_t> numbers(int64_t count) {
    std::vector<int64_t> result(static_cast<size_t>(count));
    for (int64_t& element : result) element = number();
    return result;
  }

  const at::Tensor& operand(int64_t index) const {
    return operands_.at(static_cast<size_t>(index));
  }

  c10::IValue value(const std::string& kind) {
    if (kind == "none") return {};
    if (kind == "bool") return number() != 0;
    if (kind == "int") return number();
    if (kind == "double") return std::bit_cast<double>(number());
    if (kind != "list") return tensor(kind);
    c10::List<at::Tensor> list;
    for (int64_t left = number(); left > 0; --left) {
      std::string element;
      in_ >> element;
      list.push_back(tensor(element));
    }
    return list;
  }

  at::Tensor tensor(const std::string& kind) {
    if (kind == "undefined") return {};
    if (kind == "operand") return operand(number());
    ASSAY_CHECK(kind == "tensor", "a result's text names a kind of result");
    const auto type = static_cast<at::ScalarType>(number());
    const int64_t dims = number();
    const std::vector<int64_t> sizes = numbers(dims), strides = numbers(dims);
    const int64_t shared = number(), offset = number();
    if (shared == kOwnMemory)
      return at::empty_strided(sizes, strides, at::TensorOptions().dtype(type).device(at::kMeta));
    const at::Tensor& base = operand(shared);
    ASSAY_CHECK(base.scalar_type() == type, "a view of an operand has its element type");
    return at::as_strided(base, sizes, strides, base.storage_offset() + offset);
  }

  std::istringstream in_;
  const std::vector<at::Tensor>& operands_;
};

}  // namespace

std::string result_text(const std::vector<c10::IValue>& results,
                        const std::vector<at::Tensor>& operands) {
  std::ostringstream out;
  for (const c10::IValue& result : results) write_value(out, result, operands);
  return out.str();
}

std::vector<c10::IValue> read_results(const std::string& text,
                                      const std::vector<at::Tensor>& operands) {
  return Parser(text, operands).results();
}

}  // namespace assay
