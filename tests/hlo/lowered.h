// A recorded program, imported and lowered for each of its ranks.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/reference.h"
#include "tests/hlo/values.h"

namespace assay::test {

struct LoweredHlo {
  // Throws UserError where the importer or the lowering refuses the program.
  LoweredHlo(const std::string& text, int64_t ranks);

  /// The name of an input; it is the same on all ranks.
  const std::string& input(size_t i) const;

  /// Whether the meaning rests on an assumption of these words.
  bool assumes(const std::string& words) const;

  /// The first operator that has no meaning here; empty where there is none.
  std::string opaque_part() const;

  /// By rank, the values of all core operators, for inputs by name.
  std::vector<std::vector<ReferenceTensor>> run(const std::vector<HloValues::Run>& of_ranks) const;

  CoreId result(size_t rank) const;

  Groups groups;
  std::vector<Graph> graphs;
  std::vector<CoreProgram> programs;
};

}  // namespace assay::test
