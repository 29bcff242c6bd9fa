#include "shared_ir/lower/lower.h"

#include "tests/fuzz/drawing/drawn_call.h"
#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {

void lowering(std::string_view bytes) {
  static const OperatorTable operators = OperatorTable::builtin();
  const Graph graph = drawn_call(bytes, operators);
  validate(graph);
  lower(graph, {{"tp", {0, 1}}}, 0, operators);
}

}  // namespace assay::fuzz
