// Extension: the largest block around a request that all operands allow. Any block whose addresses
// stay inside the operand atoms is a legitimate instance; how far it reaches only decides which
// later blocks will embed in it.
#include <algorithm>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/lift/lifting.h"

namespace assay {

namespace {

using Tag = InstanceLabel::Tag;

// Labels beyond this size come from atoms without natural bounds (iota, one-hot classes) and are
// not extended.
constexpr Int kLargestLabel = Int{1} << 33;

struct Room {
  Int low = 0;   // steps that fit below the block
  Int high = 0;  // steps that fit above it
};

// Digits of one operand that a label can still take, given the other labels that address the
// operand.
std::optional<Room> room_in(const std::vector<InstanceLabel>& labels, size_t label, size_t x,
                            Int offset, Int atom_size) {
  const Int stride = labels[label].strides[x];
  Int next = 0;
  Int below = offset % stride;  // address part of finer digits
  for (size_t j = 0; j < labels.size(); ++j) {
    const Int other = labels[j].strides[x];
    if (j == label || other == 0) continue;
    if (other == stride) return std::nullopt;
    if (other > stride) next = next == 0 ? other : std::min(next, other);
  }
  if (next != 0 && next % stride != 0) return std::nullopt;
  const Int digits = next != 0 ? next / stride : (atom_size - 1 - below) / stride + 1;
  const Int digit = next != 0 ? offset / stride % digits : offset / stride;
  const Int high = digits - digit - labels[label].size;
  if (high < 0) return std::nullopt;
  return Room{digit, high};
}

Int last_address(const Instance& made, const std::vector<InstanceLabel>& labels, size_t x) {
  Int last = made.operands[x].offset;
  for (const InstanceLabel& label : labels) last += (label.size - 1) * label.strides[x];
  return last;
}

bool joins(const InstanceLabel& outer, const InstanceLabel& inner) {
  if (outer.tag != inner.tag || outer.tag == Tag::kWhole) return false;
  for (size_t x = 0; x < outer.strides.size(); ++x) {
    if (outer.strides[x] != inner.strides[x] * inner.size) return false;
  }
  return true;
}

}  // namespace

// What an operator on integers names may be no integer: an operand of a comparison, say.
DType Lifting::output_dtype(const Request& request) const {
  using Kind = Instance::Kind;
  if (is_floating(request.dtype)) return request.dtype;
  bool integral = true;
  switch (request.kind) {
    case Kind::kCombine:
      for (const Instance::CombineTerm& term : request.terms)
        integral &= term.coef.is_integer() &&
                    is_integral(request.operands[static_cast<size_t>(term.operand)].atom);
      break;
    case Kind::kMul:
    case Kind::kSum:
    case Kind::kMax:
    case Kind::kMin:
    case Kind::kCat:
      for (const Instance::Operand& operand : request.operands)
        integral &= is_integral(operand.atom);
      break;
    case Kind::kMap:
    case Kind::kBlock:
    case Kind::kOpaque:
    case Kind::kDraw:
      break;
  }
  return integral ? request.dtype : DType::kFloat32;
}

int32_t Lifting::extend(const Request& request, Reach reach) {
  Instance made;
  made.kind = request.kind;
  made.fn = request.fn;
  made.linear = request.linear;
  made.operands = request.operands;
  made.terms = request.terms;
  made.piece_sizes = request.piece_sizes;
  std::vector<InstanceLabel> labels, whole;
  for (const RequestLabel& r : request.labels) {
    if (is_broadcast(r)) continue;
    InstanceLabel label;
    label.tag = r.tag;
    label.size = r.size;
    label.strides = r.strides;
    label.spec_label = r.spec_label;
    label.out_stride =
        r.tag == Tag::kWhole && r.out_dim != kNone ? 1 : 0;  // a mark until strides are known
    (r.tag == Tag::kWhole ? whole : labels).push_back(std::move(label));
  }
  std::sort(labels.begin(), labels.end(),
            [](const InstanceLabel& a, const InstanceLabel& b) { return a.strides > b.strides; });
  std::vector<InstanceLabel> all = labels;
  all.insert(all.end(), whole.begin(), whole.end());

  for (size_t j = 0; j < labels.size() && reach == Reach::kExtended; ++j) {
    if (labels[j].tag == Tag::kReduced && sequential_) continue;
    Room room{kLargestLabel, kLargestLabel};
    bool possible = true;
    for (size_t x = 0; x < made.operands.size() && possible; ++x) {
      if (labels[j].strides[x] == 0) continue;
      const auto here =
          room_in(all, j, x, made.operands[x].offset, atom(made.operands[x].atom).size);
      possible = here.has_value();
      if (!possible) break;
      // Where digits do not nest, finer labels reach beyond the step of a coarser one.
      const Int beyond = (atom(made.operands[x].atom).size - 1 - last_address(made, all, x)) /
                         labels[j].strides[x];
      room = {std::min(room.low, here->low), std::min({room.high, here->high, beyond})};
    }
    if (!possible || room.low + room.high + labels[j].size >= kLargestLabel) continue;
    labels[j].size += room.low + room.high;
    all[j].size = labels[j].size;
    for (size_t x = 0; x < made.operands.size(); ++x)
      made.operands[x].offset -= room.low * labels[j].strides[x];
  }
  for (size_t j = 0; j + 1 < labels.size() && reach == Reach::kExtended;) {
    if (joins(labels[j], labels[j + 1])) {
      labels[j].size *= labels[j + 1].size;
      labels[j].strides = labels[j + 1].strides;
      labels.erase(labels.begin() + static_cast<ptrdiff_t>(j) + 1);
    } else {
      ++j;
    }
  }

  const auto id = static_cast<int32_t>(universe_.instances.size());
  Atom output;
  output.kind = Atom::Kind::kInstance;
  output.dtype = output_dtype(request);
  output.instance = id;
  labels.insert(labels.end(), whole.begin(), whole.end());
  Int stride = 1;
  if (made.kind == Instance::Kind::kCat) {
    for (Int size : made.piece_sizes) stride += size;
    stride -= 1;
  }
  for (size_t j = labels.size(); j-- > 0;) {
    InstanceLabel& label = labels[j];
    if (label.tag == Tag::kReduced) {
      label.hidden = static_cast<LabelId>(universe_.labels.size());
      universe_.labels.push_back({label.size, made.kind != Instance::Kind::kSum, id});
    } else if (label.tag == Tag::kParallel || label.out_stride != 0) {
      label.out_stride = stride;
      stride *= label.size;
    }
  }
  output.size = stride;
  made.labels = std::move(labels);
  made.output = static_cast<AtomId>(universe_.atoms.size());
  output.hidden = hidden_labels(made);
  for (size_t x = 0; x < made.operands.size(); ++x) {
    ASSAY_CHECK(made.operands[x].offset >= 0 &&
                    last_address(made, made.labels, x) < atom(made.operands[x].atom).size,
                "an extended block leaves its operand");
  }
  universe_.instances.push_back(std::move(made));
  universe_.atoms.push_back(std::move(output));
  return id;
}

}  // namespace assay
