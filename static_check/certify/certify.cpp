#include "static_check/certify/certify.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "shared_ir/base/module.h"
#include "static_check/smt/smt_module.h"

namespace assay {
namespace {

// z3 sees sizes 1 to 3 of a dimension that is alone, 1 to 2 where there are more.
std::vector<DimSizes> small_shapes(const std::set<std::string>& dims) {
  const int64_t largest = dims.size() > 1 ? 2 : 3;
  std::vector<DimSizes> shapes{{}};
  for (const std::string& dim : dims) {
    std::vector<DimSizes> longer;
    for (const DimSizes& shape : shapes)
      for (int64_t size = 1; size <= largest; ++size) {
        longer.push_back(shape);
        longer.back()[dim] = size;
      }
    shapes = std::move(longer);
  }
  return shapes;
}

// Sizes of dimensions in a formula: those that it names, sums of what is the same everywhere, and
// other sums, which grow with them.
struct SizesNamed {
  int64_t sizes = 0, sums = 0;
  std::map<std::string, int64_t> of_dims;  // both, by dimension
};

bool depends_on(const Formula& formula, const std::string& dim, const Lemma& lemma) {
  if (formula.kind == Formula::Kind::kVariable)
    return std::ranges::none_of(lemma.conditions, [&](const Condition& condition) {
      return condition.kind == Condition::Kind::kIndependent && condition.dim == dim &&
             condition.operands[0] == formula;
    });
  return std::ranges::any_of(
      formula.operands, [&](const Formula& operand) { return depends_on(operand, dim, lemma); });
}

// nullopt where a function other than sums, products and reciprocals is applied to a size, or one
// that has steps or corners to a sum: it may say something of large sizes alone.
std::optional<SizesNamed> sizes_in(const Formula& formula, const Lemma& lemma) {
  if (formula.kind == Formula::Kind::kSize) return SizesNamed{1, 0, {{formula.dim, 1}}};
  SizesNamed found;
  for (const Formula& operand : formula.operands) {
    const auto inner = sizes_in(operand, lemma);
    if (!inner) return std::nullopt;
    found.sizes += inner->sizes;
    found.sums += inner->sums;
    for (const auto& [dim, count] : inner->of_dims) found.of_dims[dim] += count;
  }
  if (formula.kind != Formula::Kind::kCall) return found;
  static const std::set<std::string> kRational{"add", "mul", "reciprocal", "sum"};
  static const std::set<std::string> kSmooth{"cos", "erf",  "exp",    "keep",    "log", "rsqrt",
                                             "sin", "sqrt", "square", "sigmoid", "tanh"};
  const bool rational = kRational.contains(formula.name);
  if (found.sizes > 0 && !rational) return std::nullopt;
  if (found.sums > 0 && !rational && !kSmooth.contains(formula.name)) return std::nullopt;
  if (formula.name == "sum") {
    ++(depends_on(formula.operands[0], formula.dim, lemma) ? found.sums : found.sizes);
    ++found.of_dims[formula.dim];
  }
  return found;
}

std::string text_of_shape(const DimSizes& shape) {
  std::string text;
  for (const auto& [dim, size] : shape)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", dim, size);
  return text;
}

std::string at_shape(const DimSizes& shape) {
  return shape.empty() ? "" : " at " + text_of_shape(shape);
}

const Module& smt() {
  static const Module module(kSmtModule);
  return module;
}

class Certifier {
 public:
  Certifier(const Lemma& lemma, const CertifyOptions& options)
      : lemma_(lemma), options_(options), shapes_(small_shapes(dims_of(lemma))) {
    result_.lemma = lemma.name;
  }

  Certification run() {
    look_at_sizes();
    if (result_.certified()) compare_numbers();
    if (result_.certified()) prove();
    for (size_t i = 0; i < lemma_.conditions.size() && result_.certified(); ++i) drop(i);
    return std::move(result_);
  }

 private:
  void fail(const std::string& why) { result_.failures.push_back(why); }

  // What holds at small sizes holds at all, where sizes are factors and summands: a fraction of
  // polynomials that is none at more sizes than its degree is none.
  void look_at_sizes() {
    for (const Condition& condition : lemma_.conditions)
      for (const Formula& operand : condition.operands)
        if (const auto named = sizes_in(operand, lemma_);
            !named || named->sizes > 0 || named->sums > 0)
          return fail("its condition " + assay::to_string(condition) +
                      " speaks of sizes: only small ones can be looked at");
    const auto left = sizes_in(lemma_.left, lemma_), right = sizes_in(lemma_.right, lemma_);
    if (!left || !right)
      return fail(
          "a function of a size other than sums, products and reciprocals, or one with steps or "
          "corners of a sum: only small sizes can be looked at");
    std::map<std::string, int64_t> named = left->of_dims;
    for (const auto& [dim, count] : right->of_dims) named[dim] += count;
    largest_ = options_.numeric.largest_size;
    for (const auto& [dim, count] : named) largest_ = std::max(largest_, 2 * count + 2);
  }

  NumericSearch numeric() const {
    NumericSearch search = options_.numeric;
    search.largest_size = largest_;
    return search;
  }

  void compare_numbers() {
    const NumericResult found = search_difference(lemma_, numeric());
    result_.draws = found.tried;
    if (found.difference) fail("float64: " + *found.difference);
    if (found.tried < options_.numeric.draws / 2)
      fail(fmt::format("float64: only {} of {} draws meet the conditions", found.tried,
                       options_.numeric.draws));
  }

  LemmaAnswer ask(const Lemma& lemma, const DimSizes& shape) {
    const LemmaQuery query{lemma, masks_of(lemma), shape, options_.limit.count()};
    LemmaAnswer answer;
    smt().function<DecideLemma>(kDecideLemma)(query, answer);
    return answer;
  }

  void prove() {
    if (!smt().loaded()) return fail("z3: not asked: " + smt().why_not());
    for (const DimSizes& shape : shapes_) {
      const LemmaAnswer answer = ask(lemma_, shape);
      result_.axioms.insert(answer.axioms.begin(), answer.axioms.end());
      result_.shapes.push_back(text_of_shape(shape));
      if (answer.answer == Answer::kYes) continue;
      if (answer.answer == Answer::kNo)
        return fail("z3: the axioms do not give it" + at_shape(shape) + ": " + answer.model);
      return fail(
          fmt::format("z3: no answer within {} ms{}", options_.limit.count(), at_shape(shape)));
    }
  }

  // Without the condition the lemma must fail: by numbers, or by a model that rests on no axiom.
  void drop(size_t condition) {
    Lemma weaker = lemma_;
    weaker.conditions.erase(weaker.conditions.begin() + static_cast<ptrdiff_t>(condition));
    if (search_difference(weaker, numeric()).difference) return;
    for (const DimSizes& shape : shapes_) {
      const LemmaAnswer answer = ask(weaker, shape);
      if (answer.answer == Answer::kNo && answer.axioms.empty()) return;
    }
    fail("condition " + assay::to_string(lemma_.conditions[condition]) +
         " is not needed: nothing breaks without it");
  }

  const Lemma& lemma_;
  const CertifyOptions& options_;
  std::vector<DimSizes> shapes_;
  int64_t largest_ = 0;  // size of a dimension that is tried on numbers
  Certification result_;
};

}  // namespace

Certification certify(const Lemma& lemma, const CertifyOptions& options) {
  return Certifier(lemma, options).run();
}

const Certification& certify_once(const Lemma& lemma) {
  static std::mutex mutex;
  static std::map<std::string, Certification> kept;  // by what the lemma states
  std::string stated = to_string(lemma.left) + " = " + to_string(lemma.right);
  for (const Condition& condition : lemma.conditions) stated += " where " + to_string(condition);
  const std::lock_guard lock(mutex);
  const auto found = kept.find(stated);
  return found != kept.end() ? found->second
                             : kept.emplace(std::move(stated), certify(lemma)).first->second;
}

std::string to_text(const std::vector<Certification>& certifications) {
  std::string text;
  int64_t certified = 0;
  std::map<std::string, int64_t> axioms;
  const auto join = [](const auto& parts, const char* separator) {
    return fmt::format("{}", fmt::join(parts, separator));
  };
  for (const Certification& one : certifications) {
    for (const std::string& axiom : one.axioms) ++axioms[axiom];
    certified += one.certified() ? 1 : 0;
    if (!one.certified()) {
      text += one.lemma + ": NOT certified\n";
      for (const std::string& failure : one.failures) text += "  " + failure + "\n";
      continue;
    }
    const bool shapeless = one.shapes.size() == 1 && one.shapes[0].empty();
    text += one.lemma + ": certified " +
            (shapeless ? "for all shapes" : "at " + join(one.shapes, "; "));
    if (!one.axioms.empty()) text += "; trusts " + join(one.axioms, ", ");
    text += "\n";
  }
  text += fmt::format("{} of {} lemmas certified\n", certified, certifications.size());
  for (const auto& [axiom, uses] : axioms)
    text += fmt::format("trusted: {} ({} lemma{})\n", axiom, uses, uses == 1 ? "" : "s");
  return text;
}

}  // namespace assay
