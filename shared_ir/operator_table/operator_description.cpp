#include "shared_ir/operator_table/operator_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "shared_ir/operator_table/operator_facts.h"
#include "shared_ir/operator_table/schema.h"

namespace assay {
namespace {

using memory::OperatorSchema;
using memory::Sharing;

class Description {
 public:
  explicit Description(const OperatorDeclaration& declaration)
      : declaration_(declaration),
        facts_(facts_of(declaration)),
        schema_(memory::schema_of(declaration.name, &declaration)) {}

  std::string text() {
    line("declared at", fmt::format("{}:{}", declaration_.place.file, declaration_.place.line));
    line("parameters", parameters());
    line("results", std::to_string(declaration_.returns.size()));
    numbers();
    memory();
    if (facts_.communicates)
      line("other ranks", declaration_.asynchronous ? "communicates, until its result is waited for"
                                                    : "communicates");
    if (declaration_.waits) line("other ranks", "waits for a collective");
    if (!declaration_.assume.empty()) line("assumes", declaration_.assume);
    return std::move(text_);
  }

 private:
  void line(std::string_view name, const std::string& value) {
    text_ += fmt::format("{}: {}\n", name, value);
  }

  const std::string& name_of(size_t parameter) const {
    return declaration_.parameters[parameter].name;
  }

  std::string parameters() const {
    std::vector<std::string> all;
    for (const lowering::Parameter& parameter : declaration_.parameters) {
      std::string text = parameter.name + (parameter.written ? "!" : "");
      if (!parameter.required) text += "=" + lowering::attribute_text(parameter.fallback);
      all.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(all, ", "));
  }

  void numbers() {
    std::string rounding = facts_.rounds  ? "rounds"
                           : facts_.casts ? "exact but for casts to a narrower type"
                                          : "exact: moves, selects, compares";
    line("numbers", rounding);
    if (facts_.kernel_error > 0)
      line("kernel",
           fmt::format("within {:g} of this in float64, relatively", facts_.kernel_error));
    line("random", facts_.random || schema_.random ? "yes" : "no");
    if (facts_.by_parts) line("dimensions", "results are parts of operands, or are made of parts");
    for (const SumFacts& sum : facts_.sums) {
      const std::string dims = sum.dims_given ? "dimensions " + name_of(*sum.dims_given)
                               : sum.dims.empty()
                                   ? "what the result has not"
                                   : fmt::format("dimension {}", fmt::join(sum.dims, ", "));
      line("adds up", fmt::format("{} of {}", dims, name_of(sum.parameter)));
    }
    if (const auto& product = facts_.product) {
      std::string text = fmt::format("{} by {}", name_of(product->first), name_of(product->second));
      if (product->added) text += ", and " + name_of(*product->added) + " added";
      line("product of matrices",
           text + (product->batched ? ", of batches" : "; a float8 run rounds both factors"));
    }
  }

  void memory() {
    if (!schema_.known) {
      line("memory", "unknown: may write all that it reads");
      return;
    }
    std::vector<std::string> effects;
    for (const memory::SchemaParameter& parameter : schema_.parameters)
      if (parameter.written) effects.push_back(fmt::format("writes {}", parameter.name));
    for (size_t i = 0; i < schema_.results.size(); ++i) {
      const memory::SchemaResult& result = schema_.results[i];
      if (result.sharing == Sharing::kNothing) continue;
      const std::string_view how = result.sharing == Sharing::kWritten ? "is"
                                   : result.sharing == Sharing::kView  ? "is a view of"
                                                                       : "may be a view of";
      effects.push_back(
          fmt::format("result {} {} {}", i, how, schema_.parameters.at(result.parameter).name));
    }
    if (schema_.unwritten) effects.emplace_back("leaves memory as it was");
    line("memory", effects.empty() ? "of its own" : fmt::format("{}", fmt::join(effects, "; ")));
  }

  const OperatorDeclaration& declaration_;
  const OperatorFacts facts_;
  const OperatorSchema schema_;
  std::string text_;
};

}  // namespace

std::string describe(const OperatorDeclaration& declaration) {
  return Description(declaration).text();
}

}  // namespace assay
