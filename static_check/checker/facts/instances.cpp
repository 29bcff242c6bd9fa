#include "static_check/checker/facts/instances.h"

#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

bool tag_allowed(Instance::Kind kind, Tag tag) {
  switch (kind) {
    case Instance::Kind::kSum:
    case Instance::Kind::kMax:
    case Instance::Kind::kMin:
      return tag != Tag::kWhole;
    case Instance::Kind::kBlock:
    case Instance::Kind::kCat:
      return tag != Tag::kReduced;
    case Instance::Kind::kOpaque:
      return tag == Tag::kWhole;
    case Instance::Kind::kMul:
    case Instance::Kind::kMap:
    case Instance::Kind::kCombine:
    case Instance::Kind::kDraw:
      return tag == Tag::kParallel;
  }
  return false;
}

Int check_pieces(const Instance& instance) {
  const size_t pieces = instance.operands.size();
  if (instance.piece_sizes.size() != pieces)
    reject(instance.output, "pieces that are not its operands");
  std::vector<Int> sizes(pieces, 1);
  for (const InstanceLabel& label : instance.labels) {
    if (label.tag != Tag::kWhole) continue;
    if (label.spec_label < 0 || static_cast<size_t>(label.spec_label) >= pieces ||
        label.out_stride != 0 || label.strides.size() != pieces || label.size < 1)
      reject(instance.output, "a label of no piece");
    const auto piece = static_cast<size_t>(label.spec_label);
    if (label.size > instance.piece_sizes[piece] / sizes[piece])
      reject(instance.output, "a piece of another size");
    sizes[piece] *= label.size;
    for (size_t other = 0; other < pieces; ++other)
      if (other != piece && label.strides[other] != 0)
        reject(instance.output, "a label of two pieces");
  }
  Int total = 0;
  for (size_t piece = 0; piece < pieces; ++piece)
    if (sizes[piece] != instance.piece_sizes[piece] || add_overflow(total, sizes[piece], &total))
      reject(instance.output, "a piece of another size");
  return total;
}

void check_labels(const Instance& instance, Int output_size) {
  Int inner = 1;
  if (instance.kind == Instance::Kind::kCat) inner = check_pieces(instance);
  for (auto label = instance.labels.rbegin(); label != instance.labels.rend(); ++label) {
    if (label->size < 1 || label->strides.size() != instance.operands.size() ||
        !tag_allowed(instance.kind, label->tag))
      reject(instance.output, "a malformed label");
    const bool unseen = label->tag == Tag::kReduced ||
                        (label->tag == Tag::kWhole && label->out_stride == 0) || label->size == 1;
    if (unseen) {
      if (label->tag == Tag::kReduced && label->out_stride != 0)
        reject(instance.output, "a reduced label in the output");
      continue;
    }
    if (label->out_stride != inner) reject(instance.output, "an output that is not row-major");
    if (mul_overflow(inner, label->size, &inner))
      reject(instance.output, "an output that is too large");
  }
  if (inner != output_size) reject(instance.output, "a size that is not its labels'");
}

bool is_infinite(const Atom& atom) {
  return atom.kind == Atom::Kind::kInfinity || atom.kind == Atom::Kind::kNan;
}

void check_operands(const Universe& universe, const Instance& instance) {
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    Modes digits;
    for (const InstanceLabel& label : instance.labels)
      digits.push_back({label.size, label.strides[i]});
    if (!addresses_fit(instance.operands[i].offset, digits,
                       universe.atoms[static_cast<size_t>(instance.operands[i].atom)].size))
      reject(instance.output, "an operand's address outside of its atom");
  }
}

}  // namespace

void reject(AtomId atom, const std::string& what) {
  throw Rejection{"atom " + std::to_string(atom) + ": " + what};
}

bool is_reduction(Instance::Kind kind) {
  return kind == Instance::Kind::kSum || kind == Instance::Kind::kMax ||
         kind == Instance::Kind::kMin;
}

bool addresses_fit(Int offset, const Modes& digits, Int limit) {
  if (offset < 0) return false;
  Int last = offset;
  for (const Mode& digit : digits) {
    Int span;
    if (digit.size < 1 || digit.stride < 0 || mul_overflow(digit.size - 1, digit.stride, &span) ||
        add_overflow(last, span, &last))
      return false;
  }
  return last < limit;
}

void check_instance(const Universe& universe, const Instance& instance) {
  const size_t operands = instance.operands.size();
  if ((instance.kind == Instance::Kind::kMul && operands != 2) ||
      (instance.kind == Instance::Kind::kDraw && operands != 1) ||
      (is_reduction(instance.kind) && operands != 1))
    reject(instance.output, "a wrong number of operands");
  // Its value need not be a real number, which every other function's counts as.
  if (instance.kind == Instance::Kind::kMap && operands == 1 &&
      is_floating(universe.atoms[static_cast<size_t>(instance.output)].dtype) &&
      is_infinite(universe.atoms[static_cast<size_t>(instance.operands[0].atom)]))
    reject(instance.output, "a function of an infinite constant");
  check_labels(instance, universe.atoms[static_cast<size_t>(instance.output)].size);
  check_operands(universe, instance);
}

}  // namespace assay::checker
