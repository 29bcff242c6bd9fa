#include "static_check/lift/positive_sums.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

constexpr PlainInt kMostElements = PlainInt{1} << 22;  // that are looked at, in one sum
constexpr int kDeepest = 16;                           // operators one after the other

class Elements {
 public:
  Elements(const Universe& universe, const std::vector<Sign>& known)
      : universe_(universe), known_(known) {}

  bool each_is_positive(const Instance& sum) {
    if (!has_exponential(sum.operands[0].atom, 0)) return false;
    std::vector<const InstanceLabel*> reduced;
    PlainInt summed = 1;
    for (const InstanceLabel& label : sum.labels) {
      if (label.tag != InstanceLabel::Tag::kReduced) continue;
      reduced.push_back(&label);
      summed *= label.size;
    }
    const PlainInt count = universe_.atoms[static_cast<size_t>(sum.output)].size;
    for (PlainInt element = 0; element < count; ++element) {
      const PlainInt first = address(sum, 0, element);
      bool found = false;
      for (PlainInt k = 0; k < summed && !found; ++k) {
        PlainInt rest = k, at = first;
        for (const InstanceLabel* label : reduced) {
          at += rest % label->size * label->strides[0];
          rest /= label->size;
        }
        if (++looked_at_ > kMostElements) return false;
        found = is_positive(sum.operands[0].atom, at, 0);
      }
      if (!found) return false;
    }
    return true;
  }

 private:
  const Instance* instance_of(AtomId id) const {
    const Atom& atom = universe_.atoms[static_cast<size_t>(id)];
    return atom.kind != Atom::Kind::kInstance
               ? nullptr
               : &universe_.instances[static_cast<size_t>(atom.instance)];
  }

  // Of operand i, for an element of the output; reduced labels are 0.
  static PlainInt address(const Instance& instance, size_t i, PlainInt element) {
    PlainInt at = instance.operands[i].offset;
    for (const InstanceLabel& label : instance.labels)
      if (label.out_stride != 0) at += element / label.out_stride % label.size * label.strides[i];
    return at;
  }

  // Of other sums no element is known to be positive.
  bool has_exponential(AtomId id, int depth) const {
    const Instance* made = instance_of(id);
    if (made == nullptr || depth == kDeepest) return false;
    if (made->kind == Instance::Kind::kMul)
      return has_exponential(made->operands[0].atom, depth + 1) ||
             has_exponential(made->operands[1].atom, depth + 1);
    return made->kind == Instance::Kind::kMap && made->fn == "exp";
  }

  bool is_positive(AtomId id, PlainInt element, int depth) {
    if (known_[static_cast<size_t>(id)].whole_positive) return true;
    const Instance* made = instance_of(id);
    if (made == nullptr || depth == kDeepest) return false;
    const auto operand_is_positive = [&](size_t i) {
      return is_positive(made->operands[i].atom, address(*made, i, element), depth + 1);
    };
    if (made->kind == Instance::Kind::kMul) return operand_is_positive(0) && operand_is_positive(1);
    return made->kind == Instance::Kind::kMap && made->fn == "exp" &&
           is_real(made->operands[0].atom, address(*made, 0, element), depth + 1);
  }

  bool is_real(AtomId id, PlainInt element, int depth) {
    if (known_[static_cast<size_t>(id)].finite) return true;
    const Instance* made = instance_of(id);
    if (made == nullptr || depth == kDeepest) return false;
    if (made->kind == Instance::Kind::kCombine)
      return std::ranges::all_of(made->terms, [&](const Instance::CombineTerm& term) {
        const auto i = static_cast<size_t>(term.operand);
        return term.restrictions.empty() &&
               is_real(made->operands[i].atom, address(*made, i, element), depth + 1);
      });
    if (made->kind != Instance::Kind::kMap || made->fn != "keep") return false;
    const auto mask = number(made->operands[0].atom, address(*made, 0, element), depth + 1);
    return mask == 0 || is_real(made->operands[1].atom, address(*made, 1, element), depth + 1);
  }

  // Of what depends on no input.
  std::optional<PlainInt> number(AtomId id, PlainInt element, int depth) {
    const Atom::Kind kind = universe_.atoms[static_cast<size_t>(id)].kind;
    if (kind == Atom::Kind::kIota) return element;
    if (kind == Atom::Kind::kOne) return 1;
    const Instance* made = instance_of(id);
    if (made == nullptr || made->kind != Instance::Kind::kMap || depth == kDeepest ||
        made->operands.empty() || made->operands.size() > 2)
      return std::nullopt;
    std::optional<PlainInt> of[2];
    for (size_t i = 0; i < made->operands.size(); ++i) {
      of[i] = number(made->operands[i].atom, address(*made, i, element), depth + 1);
      if (!of[i]) return std::nullopt;
    }
    if (made->operands.size() == 1)
      return made->fn == "not" ? std::optional<PlainInt>(*of[0] == 0) : std::nullopt;
    using Relation = bool (*)(PlainInt, PlainInt);
    static const std::map<std::string_view, Relation> relations{
        {"ge", [](PlainInt x, PlainInt y) { return x >= y; }},
        {"gt", [](PlainInt x, PlainInt y) { return x > y; }},
        {"le", [](PlainInt x, PlainInt y) { return x <= y; }},
        {"lt", [](PlainInt x, PlainInt y) { return x < y; }},
        {"eq", [](PlainInt x, PlainInt y) { return x == y; }},
        {"ne", [](PlainInt x, PlainInt y) { return x != y; }},
        {"and", [](PlainInt x, PlainInt y) { return x != 0 && y != 0; }},
        {"or", [](PlainInt x, PlainInt y) { return x != 0 || y != 0; }}};
    const auto relation = relations.find(made->fn);
    return relation == relations.end() ? std::nullopt
                                       : std::optional<PlainInt>(relation->second(*of[0], *of[1]));
  }

  const Universe& universe_;
  const std::vector<Sign>& known_;
  PlainInt looked_at_ = 0;
};

}  // namespace

bool every_sum_is_positive(const Universe& universe, const Instance& sum,
                           const std::vector<Sign>& known) {
  return Elements(universe, known).each_is_positive(sum);
}

}  // namespace assay
