#include "shared_ir/import/fx_json/fx_json.h"

#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {

void fx_json(std::string_view bytes) {
  const Graph graph = parse_fx_json(bytes, "graph.json");
  const std::string text = to_fx_json(graph, 0);
  const std::string again = to_fx_json(parse_fx_json(text, "again.json"), 0);
  ASSAY_CHECK(text == again, "a graph is another one when it is written and read again");
}

}  // namespace assay::fuzz
