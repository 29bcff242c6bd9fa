#include "shared_ir/clean_expr.h"
#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {
namespace {

Shape shape_of(const std::string& name) {
  if (name == "s") return {};
  if (name == "v") return {6};
  if (name == "e") return {0, 6};
  if (name == "h") return {int64_t{1} << 30, int64_t{1} << 30};
  return {4, 6};
}

}  // namespace

void clean_expression(std::string_view bytes) {
  for (const Leaves leaves : {Leaves::kDistributed, Leaves::kSequential}) {
    succeeds([&] {
      const SourcePlace place{"case.toml", 1, 1};
      const CleanExpr expr = parse_clean_expr(bytes, place, leaves);
      ASSAY_CHECK(parse_clean_expr(to_string(expr, leaves), place, leaves) == expr,
                  "a clean expression is another one when it is printed and read again");
      const Shape shape =
          infer_shape(expr, [](const std::string& name, Rank) { return shape_of(name); }, place);
      ASSAY_CHECK(element_count_fits(shape), "a shape with too many elements");
    });
  }
}

}  // namespace assay::fuzz
