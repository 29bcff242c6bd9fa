#include "shared_ir/import/hlo/hlo.h"

#include "shared_ir/lower/lower.h"
#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {

void hlo(std::string_view bytes) {
  static const OperatorTable operators = OperatorTable::builtin();
  const HloModule module = HloModule::parse(std::string(bytes), "module.hlo.txt");
  for (const Rank rank : {0, 3}) {
    succeeds([&] {
      Groups groups;
      lower(module.graph(rank, 4, groups), groups, rank, operators);
    });
  }
}

}  // namespace assay::fuzz
