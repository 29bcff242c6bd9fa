// Functions of blocks: for fixed parallel coordinates, the output over its whole labels is a
// function of the operands over theirs. An element-wise function is the case without whole labels,
// an opaque one the case without parallel labels.
#include <algorithm>
#include <map>

#include "shared_ir/cast.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/operators.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

constexpr int kMostEqualCalls = 64;  // that lemmas gave, in one claim

// The operator's labels, numbered over: parallel ones and whole ones apart, each by first
// appearance over the operands in order, then the output. Whole ones by that number are what
// InstanceLabel::spec_label says.
struct Signature {
  struct Dim {
    size_t number;
    bool whole;
  };
  std::vector<std::vector<Dim>> operands;
  std::vector<Dim> output;
  Shape parallel;  // extents
  Shape whole;
  Instance::Kind kind = Instance::Kind::kMap;
  std::string fn;
  uint32_t linear = 0;
};

class SignatureBuilder {
 public:
  std::vector<Signature::Dim> dims(const std::vector<BlockSpec::Dim>& spec, const Shape& shape) {
    if (spec.size() != shape.size())
      throw Rejection{"a declaration of another number of dimensions"};
    std::vector<Signature::Dim> dims;
    for (size_t d = 0; d < shape.size(); ++d) {
      Shape& extents = spec[d].whole ? result.whole : result.parallel;
      const auto [at, added] =
          numbers_.emplace(spec[d].label, Signature::Dim{extents.size(), spec[d].whole});
      if (added) extents.push_back(shape[d]);
      const std::vector<Int>& of = at->second.whole ? result.whole : result.parallel;
      if (at->second.whole != spec[d].whole || of[at->second.number] != shape[d])
        throw Rejection{"a label that is not the same everywhere"};
      dims.push_back(at->second);
    }
    return dims;
  }

  Signature result;

 private:
  std::map<int32_t, Signature::Dim> numbers_;
};

Signature signature_of(const Step& step) {
  const CoreOp& op = step.op();
  BlockSpec spec;
  if (op.prim == Prim::kBlock) {
    spec = step.program.specs[static_cast<size_t>(op.spec)];
  } else {
    const bool whole = op.prim == Prim::kOpaque;
    int32_t next = 0;
    const auto dims = [&](const Shape& shape) {
      std::vector<BlockSpec::Dim> result;
      for (size_t d = 0; d < shape.size(); ++d)
        result.push_back({whole ? next++ : static_cast<int32_t>(d), whole});
      return result;
    };
    for (size_t i = 0; i < op.operands.size(); ++i)
      spec.operands.push_back(dims(step.operand_op(i).shape));
    spec.output = dims(op.shape);
  }
  if (spec.operands.size() != op.operands.size())
    throw Rejection{"a declaration of another number of operands"};
  SignatureBuilder builder;
  for (size_t i = 0; i < op.operands.size(); ++i)
    builder.result.operands.push_back(builder.dims(spec.operands[i], step.operand_op(i).shape));
  builder.result.output = builder.dims(spec.output, op.shape);
  Signature& result = builder.result;
  result.fn = op.prim == Prim::kKeep   ? kKeepFunction
              : op.prim == Prim::kCast ? cast_function(op.dtype)
                                       : op.fn;
  result.linear = op.prim == Prim::kKeep ? 2U : op.linear;
  // Of a scalar there is no block.
  const bool block = op.prim == Prim::kBlock && !result.whole.empty();
  result.kind = block                      ? Instance::Kind::kBlock
                : op.prim == Prim::kOpaque ? Instance::Kind::kOpaque
                                           : Instance::Kind::kMap;
  return result;
}

// One term of the claimed output: coef * restrictions * instance at these parallel labels.
struct Call {
  const Instance* instance = nullptr;
  std::vector<Affine> labels;  // whole labels: 0
  Product scale;               // coefficient, boxes, guards
};

bool same_call(const Call& a, const Call& b) {
  const auto same_guard = [](const Guard& x, const Guard& y) {
    return x.element == y.element && x.in == y.in;
  };
  return a.instance == b.instance && a.labels == b.labels && a.scale.coef == b.scale.coef &&
         a.scale.boxes == b.scale.boxes &&
         std::equal(a.scale.guards.begin(), a.scale.guards.end(), b.scale.guards.begin(),
                    b.scale.guards.end(), same_guard);
}

// Digits of a whole label, outermost first: positions in Instance::labels.
std::vector<size_t> digits_of(const Instance& instance, size_t whole) {
  std::vector<size_t> digits;
  for (size_t i = 0; i < instance.labels.size(); ++i)
    if (instance.labels[i].tag == Tag::kWhole &&
        instance.labels[i].spec_label == static_cast<int32_t>(whole))
      digits.push_back(i);
  return digits;
}

bool sees(const std::vector<Signature::Dim>& dims, size_t whole) {
  return std::any_of(dims.begin(), dims.end(),
                     [&](const Signature::Dim& dim) { return dim.whole && dim.number == whole; });
}

// The instance is this function on blocks of these extents.
void check_instance(const Signature& signature, const Instance& instance) {
  if (instance.operands.size() != signature.operands.size())
    throw Rejection{"an instance of other operands"};
  std::vector<Int> sizes(signature.whole.size(), 1);
  for (const InstanceLabel& label : instance.labels) {
    if (label.tag != Tag::kWhole) continue;
    if (label.spec_label < 0 || static_cast<size_t>(label.spec_label) >= sizes.size())
      throw Rejection{"a whole label that the function does not have"};
    const auto whole = static_cast<size_t>(label.spec_label);
    sizes[whole] *= label.size;
    if (label.size == 1) continue;
    if ((label.out_stride != 0) != sees(signature.output, whole))
      throw Rejection{"a whole label of another output"};
    for (size_t i = 0; i < signature.operands.size(); ++i)
      if (label.strides[i] != 0 && !sees(signature.operands[i], whole))
        throw Rejection{"a whole label of another operand"};
  }
  if (sizes != signature.whole) throw Rejection{"blocks of another size"};
}

class FunctionCheck {
 public:
  FunctionCheck(const Step& step) : step_(step), signature_(signature_of(step)) {}

  void run() {
    for_each_region(region_of(signature_.parallel), 0, [&](const Region& outer) {
      try {
        check_block(outer, /*by_lemmas=*/false);
      } catch (const Rejection&) {
        if (!step_.facts.has_learned()) throw;
        check_block(outer, /*by_lemmas=*/true);
      }
      ++step_.probes;
    });
  }

 private:
  // Coordinates of a tensor with these dimensions: parallel labels are coordinates of `outer`,
  // whole labels come after them in `inner`, in the order of `wholes`.
  static std::vector<Affine> coordinates(const std::vector<Signature::Dim>& dims,
                                         const Region& inner, size_t parallels,
                                         const std::vector<size_t>& wholes) {
    std::vector<Affine> coords;
    for (const Signature::Dim& dim : dims) {
      size_t at = dim.number;
      if (dim.whole)
        at = parallels + static_cast<size_t>(std::find(wholes.begin(), wholes.end(), dim.number) -
                                             wholes.begin());
      coords.push_back(inner.coords[at]);
    }
    return coords;
  }

  std::vector<size_t> wholes_of(const std::vector<Signature::Dim>& dims) const {
    std::vector<size_t> wholes;
    for (size_t whole = 0; whole < signature_.whole.size(); ++whole)
      if (sees(dims, whole)) wholes.push_back(whole);
    return wholes;
  }

  template <class Check>
  void over_wholes(const std::vector<Signature::Dim>& dims, const Region& outer,
                   Check&& check) const {
    const std::vector<size_t> wholes = wholes_of(dims);
    Shape extents;
    for (const size_t whole : wholes) extents.push_back(signature_.whole[whole]);
    for_each_region(region_of(extents, outer), outer.sizes.size(), [&](const Region& inner) {
      check(inner, coordinates(dims, inner, signature_.parallel.size(), wholes), wholes);
    });
  }

  // by_lemmas: a claimed atom stands for what lemmas show it to be.
  void check_block(const Region& outer, bool by_lemmas) const {
    const std::vector<Call> calls = claimed_calls(outer, by_lemmas);
    const bool plain = calls.size() == 1 && calls[0].scale.coef.is_one() &&
                       calls[0].scale.boxes.empty() && calls[0].scale.guards.empty();
    if (plain) return check_operands(outer, calls, signature_.operands.size());
    std::string reason = "a sum or a part of the function, which is not linear";
    for (size_t i = 0; i < signature_.operands.size(); ++i) {
      if (((signature_.linear >> i) & 1) == 0) continue;
      try {
        return check_operands(outer, calls, i);
      } catch (const Rejection& rejection) {
        reason = rejection.reason;
      }
    }
    throw Rejection{reason};
  }

  // The claimed output over its whole labels: the same calls everywhere.
  std::vector<Call> claimed_calls(const Region& outer, bool by_lemmas) const {
    std::vector<Call> calls;
    bool first = true;
    over_wholes(signature_.output, outer,
                [&](const Region& inner, const std::vector<Affine>& coords,
                    const std::vector<size_t>& wholes) {
                  std::vector<Call> here = calls_at(outer, inner, coords, wholes, by_lemmas);
                  if (!first &&
                      !std::equal(calls.begin(), calls.end(), here.begin(), here.end(), same_call))
                    throw Rejection{"blocks of several functions in one"};
                  calls = std::move(here);
                  first = false;
                });
    return calls;
  }

  std::vector<Call> calls_at(const Region& outer, const Region& inner,
                             const std::vector<Affine>& coords, const std::vector<size_t>& wholes,
                             bool by_lemmas) const {
    Sum pending = as_sum(element_at(inner, step_.claim(), coords));
    std::vector<Call> calls;
    int equalities = 0;
    while (!pending.empty()) {
      Product product = std::move(pending.back());
      pending.pop_back();
      if (product.factors.size() != 1)
        throw Rejection{"claimed " + to_string({product}) + ", which is no value of " +
                        signature_.fn};
      const Factor factor = product.factors[0];
      // What lemmas show an atom to be comes first: it may be the same function of other operands.
      std::optional<Sum> definition;
      if (by_lemmas && ++equalities <= kMostEqualCalls)
        definition = expand_by_lemmas(step_.facts, product, factor);
      const Instance* made = step_.facts.definition(factor.atom);
      if (!definition && made != nullptr && made->kind == signature_.kind &&
          made->fn == signature_.fn) {
        calls.push_back(call(outer, inner, *made, factor.index, std::move(product), wholes));
        continue;
      }
      if (!definition) definition = expand(step_.facts, inner, factor);
      if (!definition)
        throw Rejection{"claimed " + to_string({product}) + ", which is no value of " +
                        signature_.fn};
      product.factors.clear();
      for (const Product& piece : *definition)
        pending.push_back(multiply(step_.facts, product, piece));
    }
    return calls;
  }

  Call call(const Region& outer, const Region& inner, const Instance& made, const Affine& index,
            Product scale, const std::vector<size_t>& wholes) const {
    check_instance(signature_, made);
    const DType dtype = step_.op().dtype, atom_dtype = step_.facts.atom(made.output).dtype;
    // What selects gives the same numbers of integers and of the floating numbers that they are.
    const bool selected = selects(made.fn) && !is_bool(dtype) && !is_bool(atom_dtype);
    if (!selected &&
        (is_floating(dtype) != is_floating(atom_dtype) || is_bool(dtype) != is_bool(atom_dtype)))
      throw Rejection{"an atom of another dtype"};
    std::vector<Affine> labels = label_coordinates(inner, made, index);
    for (size_t w = 0; w < wholes.size(); ++w) {
      Affine coordinate;
      for (const size_t digit : digits_of(made, wholes[w])) {
        coordinate = plus(times(coordinate, made.labels[digit].size), labels[digit]);
        labels[digit] = {};
      }
      if (coordinate != inner.coords[signature_.parallel.size() + w])
        throw Rejection{"the output's block is read in another order"};
    }
    for (const Affine& label : labels)
      if (label.depends_beyond(outer.sizes.size())) throw Rejection{"one block of several calls"};
    for (const Guard& guard : scale.guards)
      if (guard.element.index.depends_beyond(outer.sizes.size()))
        throw Rejection{"a guard inside of a block"};
    scale.factors.clear();
    return {&made, std::move(labels), std::move(scale)};
  }

  // Every operand's claim is what the calls read. In operand `linear` the calls add up; in the
  // others they agree.
  void check_operands(const Region& outer, const std::vector<Call>& calls, size_t linear) const {
    for (size_t i = 0; i < signature_.operands.size(); ++i) {
      over_wholes(signature_.operands[i], outer,
                  [&](const Region& inner, const std::vector<Affine>& coords,
                      const std::vector<size_t>& wholes) {
                    const Sum claimed = as_sum(element_at(inner, step_.operand(i), coords));
                    Sum total;
                    for (const Call& call : calls) {
                      Product read = i == linear ? call.scale : Product{};
                      read.factors = {argument(inner, call, i, wholes)};
                      check_parts(read);
                      if (i == linear)
                        total.push_back(std::move(read));
                      else if (!equal(step_.facts, inner, claimed, {read}))
                        reject_difference(coords, {read}, claimed);
                    }
                    if (i == linear && !equal(step_.facts, inner, claimed, total))
                      reject_difference(coords, total, claimed);
                  });
    }
  }

  void check_parts(const Product& read) const {
    for (const Box& box : read.boxes)
      if (box.maximum || !step_.facts.may_box(read.factors[0].atom, box.label))
        throw Rejection{"a part of what the operand does not sum"};
  }

  Factor argument(const Region& inner, const Call& call, size_t i,
                  const std::vector<size_t>& wholes) const {
    std::vector<Affine> labels = call.labels;
    for (size_t w = 0; w < wholes.size(); ++w) {
      Affine rest = inner.coords[signature_.parallel.size() + w];
      const std::vector<size_t> digits = digits_of(*call.instance, wholes[w]);
      Int size = signature_.whole[wholes[w]];
      for (const size_t digit : digits) {
        size /= call.instance->labels[digit].size;
        if (call.instance->labels[digit].size == 1) continue;
        std::tie(labels[digit], rest) = divide(inner, rest, size);
      }
    }
    return {call.instance->operands[i].atom, operand_index(*call.instance, i, labels)};
  }

  const Step& step_;
  Signature signature_;
};

}  // namespace

void check_function(const Step& step) { FunctionCheck(step).run(); }

}  // namespace assay::checker
