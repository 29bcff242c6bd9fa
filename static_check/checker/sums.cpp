#include "static_check/checker/sums.h"

#include <algorithm>

#include "static_check/checker/boxes.h"

namespace assay::checker {
namespace {

constexpr size_t kMostProducts = 4096;

bool is_infinite(const Facts& facts, const Product& product) {
  return std::any_of(product.factors.begin(), product.factors.end(), [&](const Factor& factor) {
    const Atom::Kind kind = facts.atom(factor.atom).kind;
    return kind == Atom::Kind::kInfinity || kind == Atom::Kind::kNan;
  });
}

bool hides(const Facts& facts, const Product& product, LabelId label) {
  return std::any_of(product.factors.begin(), product.factors.end(),
                     [&](const Factor& factor) { return facts.hides(factor.atom, label); });
}

// The product with factor `at` replaced by each product of `definition`; nullopt where a box would change its meaning.
std::optional<Sum> substitute(const Facts& facts, const Product& product, size_t at, const Sum& definition) {
  Product rest = product;
  rest.factors.erase(rest.factors.begin() + static_cast<ptrdiff_t>(at));
  Sum result;
  for (const Product& piece : definition) {
    for (const Box& box : piece.boxes)
      if (hides(facts, rest, box.label)) return std::nullopt;
    for (const Box& box : rest.boxes)
      if (!hides(facts, rest, box.label) ? piece.factors.empty() : hides(facts, piece, box.label)) return std::nullopt;
    Product whole = rest;
    whole.coef = rest.coef * piece.coef;
    whole.factors.insert(whole.factors.end(), piece.factors.begin(), piece.factors.end());
    whole.boxes.insert(whole.boxes.end(), piece.boxes.begin(), piece.boxes.end());
    whole.guards.insert(whole.guards.end(), piece.guards.begin(), piece.guards.end());
    result.push_back(std::move(whole));
  }
  return result;
}

// A guard on ids over a sum of one-hot(ids) along its class is a box on the class: all other summands are 0.
bool guard_to_box(const Facts& facts, const Region& region, Product& product, const Guard& guard) {
  const AtomId one_hot = facts.one_hot_of(guard.element.atom);
  if (one_hot == kNone) return false;
  const int64_t elements = facts.atom(guard.element.atom).size;
  for (const Factor& factor : product.factors) {
    const Instance* sum = facts.definition(factor.atom);
    if (sum == nullptr || sum->kind != Instance::Kind::kSum) continue;
    const Instance* mul = facts.definition(sum->operands[0].atom);
    if (mul == nullptr || mul->kind != Instance::Kind::kMul) continue;
    for (size_t side = 0; side < 2; ++side) {
      if (facts.canonical(mul->operands[side].atom) != one_hot) continue;
      // The one-hot's index as a function of the region's digits and of one more digit per reduced label.
      Region inner = region;
      std::vector<Affine> labels = label_coordinates(region, *sum, factor.index);
      std::vector<std::pair<LabelId, size_t>> reduced;
      for (size_t i = 0; i < labels.size(); ++i) {
        if (sum->labels[i].tag != InstanceLabel::Tag::kReduced) continue;
        inner = region_of({sum->labels[i].size}, inner);
        labels[i] = inner.coords.back();
        if (sum->labels[i].size > 1) reduced.emplace_back(sum->labels[i].hidden, inner.sizes.size() - 1);
      }
      Affine index;
      try {
        index = operand_index(*mul, side, label_coordinates(inner, *mul, operand_index(*sum, 0, labels)));
      } catch (const Split&) {
        continue;  // no single digit of the one-hot: the guard stays a guard
      }
      for (const auto& [label, digit] : reduced) {
        if (index.step(digit) != elements) continue;
        Affine element = index;
        element.steps[digit] = 0;
        element = plus(element, Affine{});
        const int64_t first_class = element.base - guard.element.index.base;
        if (element.steps != guard.element.index.steps || first_class % elements != 0) continue;
        size_t hiding = 0;
        for (const Factor& other : product.factors) hiding += facts.hides(other.atom, label) ? 1 : 0;
        if (hiding != 1 || !facts.may_box(factor.atom, label)) continue;
        const int64_t size = inner.sizes[digit], shift = first_class / elements;
        Box box{label, 1, size, false, {}};
        for (const Interval& in : intersect(guard.in, {{shift, shift + size}}))
          box.in.push_back({in.lo - shift, in.hi - shift});
        product.boxes.push_back(std::move(box));
        return true;
      }
    }
  }
  return false;
}

// The class of a one-hot of this very element that the product contains; nullopt when there is none.
std::optional<Affine> class_of(const Facts& facts, const Product& product, const Factor& element) {
  const AtomId one_hot = facts.one_hot_of(element.atom);
  if (one_hot == kNone) return std::nullopt;
  const int64_t elements = facts.atom(element.atom).size;
  for (const Factor& factor : product.factors) {
    if (factor.atom != one_hot) continue;
    Affine category;
    bool exact = true;
    const auto divided = [&](int64_t x) {
      exact &= x >= 0 && x % elements == 0;
      return x / elements;
    };
    category.base = divided(factor.index.base - element.index.base);
    category.steps.resize(std::max(factor.index.steps.size(), element.index.steps.size()));
    for (size_t i = 0; i < category.steps.size(); ++i)
      category.steps[i] = divided(factor.index.step(i) - element.index.step(i));
    if (exact) return plus(category, Affine{});
  }
  return std::nullopt;
}

bool is_definition(const Facts& facts, const Instance& made) {
  return made.kind == Instance::Kind::kMul || made.kind == Instance::Kind::kCombine ||
         made.kind == Instance::Kind::kCat || facts.pieces_of(made) != nullptr;
}

// The sum without its products that cancel; empty when it is zero.
Sum cancel(const Facts& facts, const Sum& sum) {
  Sum left;
  std::vector<bool> seen(sum.size(), false);
  for (size_t i = 0; i < sum.size(); ++i) {
    if (seen[i]) continue;
    std::vector<Product> alike;
    for (size_t j = i; j < sum.size(); ++j) {
      if (seen[j] || sum[j].factors != sum[i].factors || maxima(sum[j]) != maxima(sum[i])) continue;
      seen[j] = true;
      alike.push_back(sum[j]);
    }
    if (!vanishes(facts, alike)) left.insert(left.end(), alike.begin(), alike.end());
  }
  return left;
}

void append(const Facts& facts, const Region& region, Sum& to, Product product, const Rational& scale) {
  product.coef = product.coef * scale;
  // Element base + i of an iota is base more than element i.
  for (size_t i = 0; i < product.factors.size(); ++i) {
    Factor& element = product.factors[i];
    if (facts.atom(element.atom).kind != Atom::Kind::kIota || element.index.base == 0) continue;
    Product constant = product;
    constant.factors.erase(constant.factors.begin() + static_cast<ptrdiff_t>(i));
    append(facts, region, to, std::move(constant), element.index.base);
    element.index.base = 0;
  }
  for (const Factor& factor : product.factors)
    if (facts.atom(factor.atom).kind == Atom::Kind::kIota && factor.index.steps.empty()) return;
  if (normalise(facts, region, product)) to.push_back(std::move(product));
  if (to.size() > kMostProducts) throw Rejection{"too many terms"};
}

std::string to_string(const Affine& x) {
  std::string text = std::to_string(x.base);
  for (size_t i = 0; i < x.steps.size(); ++i)
    if (x.steps[i] != 0) text += "+" + std::to_string(x.steps[i]) + "*i" + std::to_string(i);
  return text;
}

std::string to_string(const std::vector<Interval>& intervals) {
  std::string text;
  for (const Interval& in : intervals) text += "[" + std::to_string(in.lo) + "," + std::to_string(in.hi) + ")";
  return text;
}

}  // namespace

bool normalise(const Facts& facts, const Region& region, Product& product) {
  if (product.coef.is_zero()) return false;
  std::erase_if(product.factors, [&](const Factor& factor) { return facts.atom(factor.atom).kind == Atom::Kind::kOne; });
  std::erase_if(product.factors, [&](const Factor& factor) {  // a boolean is 1 where it is 1
    if (!facts.boolean(factor.atom)) return false;
    product.guards.push_back({factor, {{1, 2}}});
    return true;
  });
  for (Factor& factor : product.factors) factor.atom = facts.canonical(factor.atom);
  std::sort(product.factors.begin(), product.factors.end());

  std::vector<Guard> guards;
  for (Guard& guard : product.guards) {
    guard.element.atom = facts.canonical(guard.element.atom);
    if (facts.boolean(guard.element.atom)) guard.in = intersect(guard.in, {{0, 2}});
    const auto same = std::find_if(guards.begin(), guards.end(),
                                   [&](const Guard& other) { return other.element == guard.element; });
    if (same == guards.end())
      guards.push_back(guard);
    else
      same->in = intersect(same->in, guard.in);
  }
  product.guards.clear();
  for (const Guard& guard : guards) {
    if (guard.in.empty()) return false;
    // The guarded integer is known: element i of an iota is i, and a one-hot is 0 but where the integer is its class.
    const auto known = facts.atom(guard.element.atom).kind == Atom::Kind::kIota
                           ? std::optional<Affine>(guard.element.index)
                           : class_of(facts, product, guard.element);
    if (known) {
      const bool holds = std::any_of(guard.in.begin(), guard.in.end(),
                                     [&](const Interval& in) { return inside(region, *known, in); });
      if (!holds) return false;
      continue;
    }
    if (!guard_to_box(facts, region, product, guard)) product.guards.push_back(guard);
  }
  return std::none_of(product.boxes.begin(), product.boxes.end(), [](const Box& box) { return box.in.empty(); });
}

Sum guarded(const Factor& of, const std::vector<PiecewiseAffine::Piece>& pieces) {
  Sum sum;
  for (const PiecewiseAffine::Piece& piece : pieces) {
    std::vector<Guard> guards;
    if (pieces.size() > 1) guards.push_back({of, {piece.x}});
    if (piece.a != 0) sum.push_back({piece.a, {of}, {}, guards});
    if (piece.b != 0) sum.push_back({piece.b, {}, {}, guards});
  }
  return sum;
}

Product multiply(const Facts& facts, const Product& a, const Product& b) {
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    for (const Box& box : x->boxes) {
      if (hides(facts, *y, box.label)) throw Rejection{"a part of a sum times the same sum"};
      if (box.maximum && !(y->factors.empty() && y->guards.empty()))
        throw Rejection{"a part of a maximum in a product"};
    }
    if (is_infinite(facts, *x) && !(y->factors.empty() && y->guards.empty()))
      throw Rejection{"a product with an infinite constant"};
  }
  Product product = a;
  product.coef = a.coef * b.coef;
  product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
  product.boxes.insert(product.boxes.end(), b.boxes.begin(), b.boxes.end());
  product.guards.insert(product.guards.end(), b.guards.begin(), b.guards.end());
  return product;
}

void check_infinities(const Facts& facts, const Sum& sum) {
  bool positive = false, negative = false;
  for (const Product& product : sum)
    for (const Factor& factor : product.factors) {
      const Atom::Kind kind = facts.atom(factor.atom).kind;
      if (kind == Atom::Kind::kNan) throw Rejection{"arithmetic with a NaN constant"};
      if (kind != Atom::Kind::kInfinity) continue;
      if (product.coef.is_zero()) throw Rejection{"an infinite constant times 0"};
      (product.coef.numerator() > 0 ? positive : negative) = true;
    }
  if (positive && negative) throw Rejection{"a sum of infinities of opposite sign"};
}

bool equal(const Facts& facts, const Region& region, const Sum& a, const Sum& b) {
  Sum difference;
  for (const Product& product : a) append(facts, region, difference, product, 1);
  for (const Product& product : b) append(facts, region, difference, product, -1);
  for (;;) {
    difference = cancel(facts, difference);
    if (difference.empty()) return true;
    AtomId newest = kNone;
    for (const Product& product : difference)
      for (const Factor& factor : product.factors) {
        const Instance* made = facts.definition(factor.atom);
        if (made != nullptr && is_definition(facts, *made)) newest = std::max(newest, factor.atom);
      }
    if (newest == kNone) return false;
    Sum expanded;
    for (const Product& product : difference) {
      const auto at = std::find_if(product.factors.begin(), product.factors.end(),
                                   [&](const Factor& factor) { return factor.atom == newest; });
      if (at == product.factors.end()) {
        expanded.push_back(product);
        continue;
      }
      const auto pieces = substitute(facts, product, static_cast<size_t>(at - product.factors.begin()),
                                     *expand(facts, region, *at));
      if (!pieces) return false;
      for (const Product& piece : *pieces) append(facts, region, expanded, piece, 1);
    }
    difference = std::move(expanded);
  }
}

bool equal_unions(const Facts& facts, const Region& region, std::vector<Product> a, std::vector<Product> b) {
  for (std::vector<Product>* side : {&a, &b})
    for (Product& product : *side)
      if (!normalise(facts, region, product)) return false;
  const auto alike = [&](const Product& product) {
    return product.factors == a.front().factors && product.coef.is_one() && product.guards.empty() &&
           std::all_of(product.boxes.begin(), product.boxes.end(), [](const Box& box) { return box.maximum; });
  };
  if (a.empty() || b.empty() || !std::all_of(a.begin(), a.end(), alike) || !std::all_of(b.begin(), b.end(), alike))
    return false;
  return same_union(facts, a, b);
}

std::vector<Affine> label_coordinates(const Region& region, const Instance& instance, const Affine& index) {
  std::vector<Affine> coordinates(instance.labels.size());
  Affine rest = index;
  for (size_t i = 0; i < instance.labels.size(); ++i) {
    const InstanceLabel& label = instance.labels[i];
    if (label.size == 1 || label.out_stride == 0) continue;
    std::tie(coordinates[i], rest) = divide(region, rest, label.out_stride);
  }
  return coordinates;
}

Affine operand_index(const Instance& instance, size_t operand, const std::vector<Affine>& labels) {
  Affine index{instance.operands[operand].offset, {}};
  for (size_t i = 0; i < labels.size(); ++i)
    if (instance.labels[i].strides[operand] != 0)
      index = plus(index, times(labels[i], instance.labels[i].strides[operand]));
  return index;
}

std::optional<Sum> expand(const Facts& facts, const Region& region, const Factor& factor) {
  const Instance* made = facts.definition(factor.atom);
  if (made == nullptr) return std::nullopt;
  const auto operand = [&](size_t i, const std::vector<Affine>& labels) {
    return Factor{made->operands[i].atom, operand_index(*made, i, labels)};
  };
  switch (made->kind) {
    case Instance::Kind::kMul: {
      const std::vector<Affine> labels = label_coordinates(region, *made, factor.index);
      return Sum{Product{1, {operand(0, labels), operand(1, labels)}, {}, {}}};
    }
    case Instance::Kind::kCombine: {
      const std::vector<Affine> labels = label_coordinates(region, *made, factor.index);
      Sum sum;
      for (const Instance::CombineTerm& term : made->terms) {
        Product product{term.coef, {operand(static_cast<size_t>(term.operand), labels)}, {}, {}};
        size_t guards = 0;
        for (const Restriction& restriction : term.restrictions) {
          if (restriction.kind == Restriction::Kind::kGuard)
            product.guards.push_back(
                {operand(static_cast<size_t>(term.guard_operands[guards++]), labels), restriction.intervals});
          else
            product.boxes.push_back({restriction.label, restriction.stride, restriction.radix,
                                     restriction.kind == Restriction::Kind::kMax, restriction.intervals});
        }
        sum.push_back(std::move(product));
      }
      return sum;
    }
    case Instance::Kind::kCat: {
      std::vector<int64_t> starts{0};
      for (const int64_t size : made->piece_sizes) starts.push_back(starts.back() + size);
      const auto [across, along] = divide(region, factor.index, starts.back());
      std::vector<Affine> labels = label_coordinates(region, *made, times(across, starts.back()));
      const size_t piece = locate(region, along, starts);
      Affine rest = shifted(along, -starts[piece]);
      int64_t size = made->piece_sizes[piece];
      for (size_t i = 0; i < labels.size(); ++i) {
        const InstanceLabel& label = made->labels[i];
        if (label.tag != InstanceLabel::Tag::kWhole || label.spec_label != static_cast<int32_t>(piece)) continue;
        size /= label.size;
        if (label.size > 1) std::tie(labels[i], rest) = divide(region, rest, size);
      }
      return Sum{Product{1, {operand(piece, labels)}, {}, {}}};
    }
    case Instance::Kind::kMap: {
      const auto* pieces = facts.pieces_of(*made);
      if (pieces == nullptr) return std::nullopt;
      return guarded(operand(0, label_coordinates(region, *made, factor.index)), *pieces);
    }
    default: return std::nullopt;
  }
}

std::string to_string(const Sum& sum) {
  if (sum.empty()) return "0";
  std::string text;
  for (const Product& product : sum) {
    if (!text.empty()) text += " + ";
    text += assay::to_string(product.coef);
    for (const Factor& factor : product.factors)
      text += "*a" + std::to_string(factor.atom) + "[" + to_string(factor.index) + "]";
    for (const Box& box : product.boxes)
      text += "|label " + std::to_string(box.label) + " / " + std::to_string(box.stride) + " % " +
              std::to_string(box.radix) + " in " + to_string(box.in);
    for (const Guard& guard : product.guards)
      text += "|a" + std::to_string(guard.element.atom) + "[" + to_string(guard.element.index) + "] in " +
              to_string(guard.in);
  }
  return text;
}

}  // namespace assay::checker
