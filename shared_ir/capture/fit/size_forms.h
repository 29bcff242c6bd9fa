// Integers of a program over the sizes that it reads or makes, as several runs show them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/symbolic/size_expression.h"

namespace assay {

using RunValues = std::vector<int64_t>;  // one a run

bool varies(const RunValues& values);

// Of integers that are computed from sizes on the host, where nobody sees how.
class SizeForms {
 public:
  // The next symbol. One that did not vary is none that an integer is made of.
  SymbolExpr add(RunValues values);

  const std::vector<std::string>& names() const { return names_; }

  // What the integer is in every run: a symbol, a sum of symbols that follow each other, a multiple
  // of one and a number, a sum or difference of two and a number; the simplest first. nullopt: it
  // is none of these.
  std::optional<SymbolExpr> find(const RunValues& values) const;

 private:
  struct Candidate {
    std::string name;
    RunValues values;
  };
  std::optional<SymbolExpr> sum_of_neighbours(const RunValues& values) const;
  std::optional<SymbolExpr> multiple(const RunValues& values) const;
  std::optional<SymbolExpr> sum_of_two(const RunValues& values) const;

  std::vector<std::string> names_;
  std::vector<Candidate> candidates_;
};

SymbolExpr number_expr(int64_t number);
SymbolExpr symbol_expr(const std::string& name);

}  // namespace assay
