// Lines "TENSOR = EXPRESSION | EXPRESSION ..." of clean expressions.
#include "shared_ir/case/case.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/graph_builder.h"

namespace assay::fuzz {
namespace {

// y = x + v beside ids, an empty tensor and a large one; three ranks hold the rows of x and parts
// of all.
Case without_relations() {
  const auto declare = [](test::GraphBuilder& graph, int64_t rows) {
    const test::TensorRef x = graph.input("x", {rows, 6});
    const test::TensorRef v = graph.input("v", {6});
    graph.input("i", {rows}, DType::kInt64);
    graph.input("e", {0, rows});
    graph.input("h", {int64_t{1} << 30, rows});
    graph.output(graph.call("y", "aten.add.Tensor", {x, v}, {rows, 6}));
  };
  test::CaseBuilder builder(3);
  declare(builder.sequential(), 6);
  for (int rank = 0; rank < builder.ranks(); ++rank) declare(builder.rank(rank), 2);
  return builder.build();
}

void add_relation(Case& refinement, std::string_view line, int64_t number) {
  const size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return;
  const SourcePlace place{"case.toml", number, 1};
  Relation relation{std::string(line.substr(0, equals)), {}, place};
  line.remove_prefix(equals + 3);
  while (!line.empty()) {
    const size_t bar = line.find('|');
    relation.replicas.push_back(parse_clean_expr(line.substr(0, bar), place));
    line.remove_prefix(bar == std::string_view::npos ? line.size() : bar + 1);
  }
  refinement.inputs.push_back(std::move(relation));
}

}  // namespace

void relation(std::string_view bytes) {
  static const Case empty = without_relations();
  Case refinement = empty;
  for (int64_t number = 1; !bytes.empty(); ++number) {
    const size_t end = bytes.find('\n');
    add_relation(refinement, bytes.substr(0, end), number);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  validate(refinement);
}

}  // namespace assay::fuzz
