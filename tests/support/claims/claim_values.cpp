#include "tests/support/claims/claim_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "shared_ir/graph.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/operation.h"

namespace assay::test {

namespace {

using Tag = InstanceLabel::Tag;

bool holds(const std::vector<Interval>& intervals, double value) {
  return std::any_of(intervals.begin(), intervals.end(), [&](const Interval& in) {
    return static_cast<double>(in.lo) <= value &&
           (in.hi == INT64_MAX || value < static_cast<double>(in.hi));
  });
}

bool in_boxes(const std::vector<Restriction>& boxes, LabelId label, int64_t value) {
  return std::all_of(boxes.begin(), boxes.end(), [&](const Restriction& box) {
    return box.label != label ||
           holds(box.intervals, static_cast<double>(value / box.stride % box.radix));
  });
}

/// Values of a label within the boxes.
std::vector<int64_t> values_in(const std::vector<Restriction>& boxes, LabelId label, int64_t size) {
  std::vector<int64_t> values;
  for (int64_t v = 0; v < size; ++v) {
    if (in_boxes(boxes, label, v)) values.push_back(v);
  }
  return values;
}

/// "affine[lo,hi:a,b]...": the name of a piecewise affine map.
double affine_map(const std::string& fn, double x) {
  for (size_t at = fn.find('['); at != std::string::npos; at = fn.find('[', at + 1)) {
    long long lo = 0, hi = 0, a = 0, b = 0;
    if (std::sscanf(fn.c_str() + at, "[%lld,%lld:%lld,%lld]", &lo, &hi, &a, &b) != 4) break;
    if (holds({{lo, hi}}, x)) return static_cast<double>(a) * x + static_cast<double>(b);
  }
  throw MeaninglessClaim{"no piece of " + fn + " holds " + std::to_string(x)};
}

double map_value(const std::string& fn, std::span<const double> at) {
  if (fn.starts_with("affine[")) return affine_map(fn, at[0]);
  if (fn == "keep") return at[0] != 0 ? at[1] : 0;
  const reference::FunctionName name = reference::parse_function_name(fn);
  const reference::MapFunction function = reference::find_map(name.name);
  if (function == nullptr) throw MeaninglessClaim{"no numeric definition of " + fn};
  return function(name, at);
}

}  // namespace

int64_t address_of(const Layout& layout, const Shape& at) {
  int64_t address = layout.offset;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    int64_t x = at[d];
    for (size_t m = layout.dims[d].size(); m-- > 0;) {
      address += x % layout.dims[d][m].size * layout.dims[d][m].stride;
      x /= layout.dims[d][m].size;
    }
    if (x != 0) throw MeaninglessClaim{"a coordinate lies outside its layout"};
  }
  return address;
}

/// An atom, or the part of it within some boxes.
struct ClaimValues::AtomPart {
  const Atom* atom = nullptr;
  AtomId id = 0;
  std::vector<Restriction> boxes;
  std::vector<AtomPart*> operands;
  std::vector<AtomPart*> guards;             // kCombine: of every operand, whole
  std::vector<std::vector<int64_t>> summed;  // per label of the instance: the values that count
  std::unordered_map<int64_t, ScaledNumber> known;
};

ClaimValues::ClaimValues(const Universe& universe, std::vector<const CoreProgram*> programs,
                         Part part)
    : universe_(universe), programs_(std::move(programs)), part_source_(std::move(part)) {}

ClaimValues::~ClaimValues() = default;

ClaimValues::AtomPart& ClaimValues::part_of(AtomId id, std::vector<Restriction> boxes) {
  std::string key;
  for (const Restriction& box : boxes) {
    key += fmt::format("{}:{},{}", box.label, box.stride, box.radix);
    for (const Interval& in : box.intervals) key += fmt::format("[{},{})", in.lo, in.hi);
  }
  const std::pair<AtomId, std::string> name{id, key};
  if (const auto known = parts_.find(name); known != parts_.end()) return *known->second;
  auto made = std::make_unique<AtomPart>();  // kept once it is complete
  AtomPart& part = *made;
  part.id = id;
  part.atom = &atom(id);
  part.boxes = std::move(boxes);
  for (const Restriction& box : part.boxes) {
    if (!std::binary_search(part.atom->hidden.begin(), part.atom->hidden.end(), box.label)) {
      throw MeaninglessClaim{
          fmt::format("a box on label {}, which atom {} does not hide", box.label, id)};
    }
    const bool maximum = universe_.labels[static_cast<size_t>(box.label)].maximum;
    if (maximum != (box.kind == Restriction::Kind::kMax)) {
      throw MeaninglessClaim{"a sum's label is restricted as a maximum's, or the other way round"};
    }
  }
  if (part.atom->kind == Atom::Kind::kOneHot) part.operands = {&part_of(part.atom->ids, {})};
  if (part.atom->kind != Atom::Kind::kInstance)
    return *parts_.emplace(name, std::move(made)).first->second;
  const Instance& instance = universe_.instances[static_cast<size_t>(part.atom->instance)];
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    const AtomId operand = instance.operands[i].atom;
    if (operand >= id) throw MeaninglessClaim{"an instance uses a later atom"};
    std::vector<Restriction> inner;
    for (const Restriction& box : part.boxes) {
      const auto& hidden = atom(operand).hidden;
      if (std::binary_search(hidden.begin(), hidden.end(), box.label)) inner.push_back(box);
    }
    const bool linear = instance.kind == Instance::Kind::kMul ||
                        instance.kind == Instance::Kind::kSum ||
                        (i < 32 && (instance.linear >> i & 1) != 0);
    if (!linear && !inner.empty())
      throw MeaninglessClaim{"a box passes through " + instance.fn + ", which is not linear"};
    for (const Restriction& box : inner) {
      for (size_t k = 0; k < i; ++k) {
        const auto& hidden = atom(instance.operands[k].atom).hidden;
        if (std::binary_search(hidden.begin(), hidden.end(), box.label)) {
          throw MeaninglessClaim{"a box on a label that two operands hide"};
        }
      }
    }
    if (instance.kind == Instance::Kind::kCombine) {
      part.guards.push_back(&part_of(operand, {}));
      for (const Instance::CombineTerm& term : instance.terms) {
        if (term.operand != static_cast<int32_t>(i)) continue;
        for (const Restriction& r : term.restrictions) {
          if (r.kind != Restriction::Kind::kGuard) inner.push_back(r);
        }
      }
    }
    part.operands.push_back(&part_of(operand, std::move(inner)));
  }
  constexpr int64_t kMostSummands = int64_t{1} << 12;
  for (const InstanceLabel& label : instance.labels) {
    if (label.tag == Tag::kReduced && label.size > kMostSummands) {
      throw TooLarge{};
    }
  }
  for (const InstanceLabel& label : instance.labels) {
    part.summed.push_back(label.tag == Tag::kReduced
                              ? values_in(part.boxes, label.hidden, label.size)
                              : std::vector<int64_t>{});
  }
  return *parts_.emplace(name, std::move(made)).first->second;
}

ScaledNumber ClaimValues::at(AtomPart& part, int64_t index) {
  if (index < 0 || index >= part.atom->size) {
    throw MeaninglessClaim{fmt::format("address {} is outside atom {} of {} elements", index,
                                       part.id, part.atom->size)};
  }
  if (part.atom->kind == Atom::Kind::kIota) return static_cast<double>(index);
  if (part.atom->kind == Atom::Kind::kOneHot) {
    const int64_t ids = atom(part.atom->ids).size;
    return at(*part.operands[0], index % ids) == static_cast<double>(index / ids);
  }
  const auto found = part.known.find(index);
  if (found != part.known.end()) return found->second;
  const ScaledNumber value = compute(part, index);
  part.known.emplace(index, value);
  return value;
}

double ClaimValues::source(AtomPart& part, int64_t index) {
  Shape sizes, label_values(part.atom->hidden.size());
  for (LabelId label : part.atom->hidden)
    sizes.push_back(universe_.labels[static_cast<size_t>(label)].size);
  double sum = 0;
  do {
    bool counts = true;
    for (size_t i = 0; i < sizes.size() && counts; ++i) {
      counts = in_boxes(part.boxes, part.atom->hidden[i], label_values[i]);
    }
    if (counts) sum += part_source_(part.id, index, label_values);
  } while (advance(label_values, sizes));
  return sum;
}

ScaledNumber ClaimValues::compute(AtomPart& part, int64_t index) {
  switch (part.atom->kind) {
    case Atom::Kind::kOne:
      return 1;
    case Atom::Kind::kInfinity:
      return std::numeric_limits<double>::infinity();
    case Atom::Kind::kNan:
      return std::numeric_limits<double>::quiet_NaN();
    case Atom::Kind::kInstance:
      break;
    default:
      return source(part, index);
  }
  const Instance& instance = universe_.instances[static_cast<size_t>(part.atom->instance)];
  if (instance.kind == Instance::Kind::kCat) return piece(part, index);
  std::vector<int64_t> address;
  for (const Instance::Operand& operand : instance.operands) address.push_back(operand.offset);
  for (const InstanceLabel& label : instance.labels) {
    if (label.tag != Tag::kParallel || label.size == 1) continue;
    const int64_t coordinate = index / label.out_stride % label.size;
    for (size_t i = 0; i < address.size(); ++i) address[i] += coordinate * label.strides[i];
  }
  switch (instance.kind) {
    case Instance::Kind::kMul:
      return at(*part.operands[0], address[0]).times(at(*part.operands[1], address[1]));
    case Instance::Kind::kSum:
    case Instance::Kind::kMax:
    case Instance::Kind::kMin:
      return reduce(part, std::move(address));
    case Instance::Kind::kMap:
      return call_map(part, address);
    case Instance::Kind::kCombine:
      return combine(part, address);
    case Instance::Kind::kDraw:
      return reference::sample(instance.fn.substr(0, instance.fn.find('#')),
                               fmt::format("{} of atom {}", instance.fn, instance.operands[0].atom),
                               address[0]);
    default:
      call_block(part, index, address);
      return part.known.at(index);
  }
}

ScaledNumber ClaimValues::reduce(AtomPart& part, std::vector<int64_t> address) {
  const Instance& instance = universe_.instances[static_cast<size_t>(part.atom->instance)];
  Shape counts, at_value;
  std::vector<size_t> reduced;
  for (size_t j = 0; j < instance.labels.size(); ++j) {
    if (instance.labels[j].tag != Tag::kReduced) continue;
    reduced.push_back(j);
    counts.push_back(static_cast<int64_t>(part.summed[j].size()));
  }
  at_value.assign(counts.size(), 0);
  const double infinity = std::numeric_limits<double>::infinity();
  ScaledNumber result = instance.kind == Instance::Kind::kSum   ? 0
                        : instance.kind == Instance::Kind::kMax ? -infinity
                                                                : infinity;
  if (std::find(counts.begin(), counts.end(), 0) != counts.end()) return result;
  do {
    int64_t index = address[0];
    for (size_t i = 0; i < reduced.size(); ++i) {
      index += part.summed[reduced[i]][static_cast<size_t>(at_value[i])] *
               instance.labels[reduced[i]].strides[0];
    }
    const ScaledNumber value = at(*part.operands[0], index);
    if (instance.kind == Instance::Kind::kSum)
      result = result.plus(value);
    else
      result = instance.kind == Instance::Kind::kMax ? std::max<double>(result, value)
                                                     : std::min<double>(result, value);
  } while (advance(at_value, counts));
  return result;
}

ScaledNumber ClaimValues::call_map(AtomPart& part, const std::vector<int64_t>& address) {
  const Instance& instance = universe_.instances[static_cast<size_t>(part.atom->instance)];
  if (instance.fn == "exp") return ScaledNumber::exp(at(*part.operands[0], address[0]));
  if (instance.fn == "log") return at(*part.operands[0], address[0]).log();
  if (instance.fn == "reciprocal") return at(*part.operands[0], address[0]).reciprocal();
  std::vector<double> operands;
  for (size_t i = 0; i < address.size(); ++i) operands.push_back(at(*part.operands[i], address[i]));
  return map_value(instance.fn, operands);
}

ScaledNumber ClaimValues::combine(AtomPart& part, const std::vector<int64_t>& address) {
  const Instance& instance = universe_.instances[static_cast<size_t>(part.atom->instance)];
  ScaledNumber sum;
  for (const Instance::CombineTerm& term : instance.terms) {
    bool counts = true;
    size_t guard = 0;
    for (const Restriction& r : term.restrictions) {
      if (r.kind != Restriction::Kind::kGuard) continue;
      const auto operand = static_cast<size_t>(term.guard_operands.at(guard++));
      counts = counts && holds(r.intervals, at(*part.guards[operand], address[operand]));
    }
    if (!counts) continue;
    const auto operand = static_cast<size_t>(term.operand);
    sum = sum.plus(at(*part.operands[operand], address[operand]).times(term.coef.to_double()));
  }
  return sum;
}

ScaledNumber ClaimValues::piece(AtomPart& part, int64_t index) {
  const Instance& instance = universe_.instances[static_cast<size_t>(part.atom->instance)];
  int64_t total = 0;
  for (int64_t size : instance.piece_sizes) total += size;
  int64_t w = index % total;
  size_t p = 0;
  while (w >= instance.piece_sizes[p]) w -= instance.piece_sizes[p++];
  int64_t address = instance.operands[p].offset;
  for (size_t j = instance.labels.size(); j-- > 0;) {
    const InstanceLabel& label = instance.labels[j];
    if (label.tag == Tag::kParallel) {
      if (label.size > 1) address += index / label.out_stride % label.size * label.strides[p];
    } else if (label.spec_label == static_cast<int32_t>(p)) {
      address += w % label.size * label.strides[p];
      w /= label.size;
    }
  }
  if (w != 0) throw MeaninglessClaim{"a piece of a concatenation is larger than its digits"};
  return at(*part.operands[p], address);
}

void ClaimValues::call_block(AtomPart& part, int64_t index, const std::vector<int64_t>& address) {
  const Instance& instance = universe_.instances[static_cast<size_t>(part.atom->instance)];
  const BlockCall call(instance, programs_);
  std::vector<std::vector<double>> operands;
  for (size_t i = 0; i < address.size(); ++i) {
    operands.emplace_back();
    for (const int64_t step : call.operand_steps(i))
      operands.back().push_back(at(*part.operands[i], address[i] + step));
  }
  const std::vector<double> values = call.run(std::move(operands));
  const std::vector<int64_t> steps = call.output_steps();
  const int64_t base = call.output_start(index);
  for (size_t i = 0; i < values.size(); ++i) part.known[base + steps[i]] = values[i];
}

ScaledNumber ClaimValues::term(const Term& term, const Shape& where) {
  std::vector<Restriction> boxes;
  for (const Restriction& r : term.restrictions) {
    if (r.kind != Restriction::Kind::kGuard) {
      boxes.push_back(r);
    } else if (!holds(r.intervals, at(part_of(r.atom, {}), address_of(r.where, where)))) {
      return 0;
    }
  }
  return at(part_of(term.atom, std::move(boxes)), address_of(term.layout, where))
      .times(term.coef.to_double());
}

double ClaimValues::element(const Value& value, const Shape& where) {
  size_t index = 0;
  Shape inner = where;
  for (size_t d = 0; d < where.size(); ++d) {
    const auto& cuts = value.cuts[d];
    const auto cell =
        static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), where[d]) - cuts.begin()) -
        1;
    index = index * (cuts.size() - 1) + cell;
    inner[d] -= cuts[cell];
  }
  const Tile& tile = value.tiles.at(index);
  if (!tile.integer.empty()) {
    const PiecewiseAffine& f = tile.integer[0];
    const double x = at(part_of(f.atom, {}), address_of(f.layout, inner));
    for (const PiecewiseAffine::Piece& piece : f.pieces) {
      if (holds({piece.x}, x))
        return static_cast<double>(piece.a) * x + static_cast<double>(piece.b);
    }
    throw MeaninglessClaim{"no piece of an integer map holds " + std::to_string(x)};
  }
  ScaledNumber sum;
  for (const Term& part : tile.terms) sum = sum.plus(term(part, inner));
  return sum;
}

ReferenceTensor ClaimValues::tensor(const Value& value) {
  ReferenceTensor result{value.shape, {}};
  if (element_count(value.shape) == 0) return result;
  Shape where(value.shape.size());
  do {
    result.values.push_back(element(value, where));
  } while (advance(where, value.shape));
  return result;
}

}  // namespace assay::test
