#include "tests/support/claims/claim_block.h"

#include <algorithm>

#include "shared_ir/reference/operation.h"

namespace assay::test {
namespace {

using Tag = InstanceLabel::Tag;

bool has_whole(const std::vector<BlockSpec::Dim>& dims, int32_t label) {
  return std::any_of(dims.begin(), dims.end(),
                     [&](const BlockSpec::Dim& dim) { return dim.whole && dim.label == label; });
}

// The declaration of the function that has all whole labels of the instance; null when there is
// none.
const BlockSpec* spec_of(const Instance& instance,
                         const std::vector<const CoreProgram*>& programs) {
  for (const CoreProgram* program : programs) {
    for (const CoreOp& op : program->ops) {
      if (op.prim != Prim::kBlock || op.fn != instance.fn) continue;
      const BlockSpec& spec = program->specs[static_cast<size_t>(op.spec)];
      const bool fits = std::all_of(
          instance.labels.begin(), instance.labels.end(), [&](const InstanceLabel& label) {
            return label.tag != Tag::kWhole || has_whole(spec.output, label.spec_label) ||
                   std::any_of(spec.operands.begin(), spec.operands.end(),
                               [&](const auto& dims) { return has_whole(dims, label.spec_label); });
          });
      if (fits) return &spec;
    }
  }
  return nullptr;
}

std::vector<int32_t> whole_labels(const std::vector<BlockSpec::Dim>& dims) {
  std::vector<int32_t> labels;
  for (const BlockSpec::Dim& dim : dims) {
    if (dim.whole) labels.push_back(dim.label);
  }
  return labels;
}

std::vector<BlockSpec::Dim> all_whole(const std::vector<int32_t>& labels) {
  std::vector<BlockSpec::Dim> dims;
  for (const int32_t label : labels) dims.push_back({label, true});
  return dims;
}

}  // namespace

bool advance(Shape& at, const Shape& sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++at[d] < sizes[d]) return true;
    at[d] = 0;
  }
  return false;
}

BlockCall::BlockCall(const Instance& instance, const std::vector<const CoreProgram*>& programs)
    : instance_(instance), operands_(instance.operands.size()) {
  for (const InstanceLabel& label : instance.labels) {
    if (label.tag == Tag::kWhole) digits_[label.spec_label].push_back(&label);
  }
  if (instance.kind == Instance::Kind::kOpaque) {
    read_opaque();
    return;
  }
  const BlockSpec* spec = spec_of(instance, programs);
  if (spec == nullptr) throw MeaninglessClaim{"no declaration of block " + instance.fn};
  read_declaration(*spec);
}

void BlockCall::read_declaration(const BlockSpec& spec) {
  for (size_t i = 0; i < operands_.size(); ++i) operands_[i] = whole_labels(spec.operands[i]);
  output_ = whole_labels(spec.output);
}

void BlockCall::read_opaque() {
  for (const auto& [label, digits] : digits_) {
    if (digits.front()->out_stride != 0) {
      output_.push_back(label);
      continue;
    }
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (digits.front()->strides[i] != 0) operands_[i].push_back(label);
    }
  }
}

int64_t BlockCall::size_of(int32_t label) const {
  int64_t size = 1;
  if (const auto found = digits_.find(label); found != digits_.end()) {
    for (const InstanceLabel* digit : found->second) size *= digit->size;
  }
  return size;
}

Shape BlockCall::shape_of(const std::vector<int32_t>& labels) const {
  Shape shape;
  for (const int32_t label : labels) shape.push_back(size_of(label));
  return shape;
}

template <class Stride>
std::vector<int64_t> BlockCall::steps(const std::vector<int32_t>& labels, Stride stride) const {
  const Shape shape = shape_of(labels);
  std::vector<int64_t> result;
  Shape at(shape.size());
  do {
    int64_t step = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      const auto found = digits_.find(labels[d]);
      if (found == digits_.end()) continue;
      int64_t x = at[d];
      for (size_t m = found->second.size(); m-- > 0;) {
        const InstanceLabel& digit = *found->second[m];
        step += x % digit.size * stride(digit);
        x /= digit.size;
      }
    }
    result.push_back(step);
  } while (advance(at, shape));
  return result;
}

std::vector<int64_t> BlockCall::operand_steps(size_t operand) const {
  return steps(operands_[operand],
               [&](const InstanceLabel& digit) { return digit.strides[operand]; });
}

std::vector<int64_t> BlockCall::output_steps() const {
  return steps(output_, [](const InstanceLabel& digit) { return digit.out_stride; });
}

int64_t BlockCall::output_start(int64_t index) const {
  int64_t start = 0;
  for (const InstanceLabel& label : instance_.labels) {
    if (label.tag == Tag::kParallel && label.size > 1)
      start += index / label.out_stride % label.size * label.out_stride;
  }
  return start;
}

std::vector<double> BlockCall::run(std::vector<std::vector<double>> operands) const {
  CoreOp call;
  call.prim = instance_.kind == Instance::Kind::kOpaque ? Prim::kOpaque : Prim::kBlock;
  call.fn = instance_.fn;
  call.spec = 0;
  call.shape = shape_of(output_);
  BlockSpec spec;
  spec.output = all_whole(output_);
  std::vector<ReferenceTensor> tensors;
  for (size_t i = 0; i < operands.size(); ++i) {
    spec.operands.push_back(all_whole(operands_[i]));
    tensors.push_back({shape_of(operands_[i]), std::move(operands[i])});
  }
  std::vector<const ReferenceTensor*> pointers;
  for (const ReferenceTensor& tensor : tensors) pointers.push_back(&tensor);
  CoreProgram program;
  program.specs.push_back(std::move(spec));
  return reference::run_operation(program, call, pointers).values;
}

}  // namespace assay::test
