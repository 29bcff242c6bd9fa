// Names of one tensor object, elements that are one in memory, results of another type than the
// memory they go into.
#include "tests/static_check/memory/memory_program.h"

namespace assay::test {
namespace {

TensorRef transposed(GraphBuilder& g, TensorRef x) {
  return g.call("t", "aten.t.default", {x}, {4, 4});
}
void transpose_for_good(GraphBuilder& g, TensorRef x) {
  in_place(g, "aten.transpose_.default", {x, 0, 1}, x);
}
TensorRef integers(GraphBuilder& g, TensorRef x) {
  return g.call("whole", "aten.to.dtype", {x, DType::kInt64}, g.shape(x), DType::kInt64);
}
TensorRef fractions(GraphBuilder& g, TensorRef x) {
  return g.call("real", "aten.to.dtype", {x, DType::kFloat32}, g.shape(x));
}
TensorRef fresh_row_four_times(GraphBuilder& g, const Inputs& in) {
  return g.call("rows", "aten.expand.default",
                {g.call("row", "aten.relu.default", {in.w}, {4}), {4, 4}}, {4, 4});
}

const Write kObjectWrites[] = {
    {"both_names_of_an_object_are_transposed",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef again = g.call("again", "aten.exp_.default", {in.x}, {4, 4});
       transpose_for_good(g, in.x);
       return relu(g, again);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, transposed(g, g.call("e", "aten.exp.default", {in.x}, {4, 4})));
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("e", "aten.exp.default", {in.x}, {4, 4}));
     }},
    {"a_view_is_another_object",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef view = g.call("v", "aten.view.default", {in.x, {16}}, {16});
       transpose_for_good(g, in.x);
       return relu(g, g.call("back", "aten.view.default", {view, {4, 4}}, {4, 4}));
     },
     unchanged, [](GraphBuilder& g, const Inputs& in) { return relu(g, transposed(g, in.x)); }},
    {"what_may_be_the_object",
     [](GraphBuilder& g, const Inputs& in) {
       transpose_for_good(g, g.call("same", "aten.to.dtype", {in.x, DType::kFloat32}, {4, 4}));
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"windows_that_overlap",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef windows = g.call("u", "aten.unfold.default", {in.w, 0, 3, 1}, {2, 3});
       add_one(g, windows);
       return relu(g, windows);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, plus_one(g, g.call("u", "aten.unfold.default", {in.w, 0, 3, 1}, {2, 3})));
     }},
    {"strides_that_overlap",
     [](GraphBuilder& g, const Inputs&) {
       const TensorRef windows =
           g.call("u", "aten.as_strided.default", {zeros(g, "cache", {8}), {3, 3}, {2, 1}}, {3, 3});
       add_one(g, windows);
       return relu(g, g.call("part", "aten.select.int", {windows, 0, 0}, {3}));
     },
     nullptr,
     [](GraphBuilder& g, const Inputs&) { return relu(g, plus_one(g, zeros(g, "cache", {3}))); }},
    {"one_row_four_times",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef rows = fresh_row_four_times(g, in);
       in_place(g, "aten.tril_.default", {rows}, rows);
       return relu(g, rows);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("l", "aten.tril.default", {fresh_row_four_times(g, in)}, {4, 4}));
     }},
    {"one_piece_of_a_row_four_times",
     [](GraphBuilder& g, const Inputs& in) {
       // Graphs that record no strides may have a copy here.
       const TensorRef rows =
           g.call("rows", "aten.to.dtype", {fresh_row_four_times(g, in), DType::kFloat32}, {4, 4});
       const auto row = [&](const char* name, int i) {
         const TensorRef piece = g.call(name, "aten.select.int", {rows, 0, i}, {4});
         g.strides(piece, {1});
         return piece;
       };
       const TensorRef other = row("other", 1);
       add_one(g, row("one", 0));
       return relu(g, other);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("row", "aten.relu.default", {in.w}, {4}));
     }},
    {"one_of_windows_that_overlap",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef windows = g.call("u", "aten.unfold.default", {in.w, 0, 3, 1}, {2, 3});
       const TensorRef one = g.call("one", "aten.select.int", {windows, 0, 0}, {3});
       g.strides(one, {1});
       add_one(g, one);
       return relu(g, windows);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef windows = g.call("u", "aten.unfold.default", {in.w, 0, 3, 1}, {2, 3});
       const TensorRef one = plus_one(g, rows(g, "first", windows, 0, 1));
       return relu(g, cat(g, {one, rows(g, "second", windows, 1, 2)}, {2, 3}));
     }},
    {"a_sum_that_is_computed_in_integers",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef out = integers(g, in.x);
       g.call("sums", "aten.cumsum.out", {in.x, 0}, {4, 4}, DType::kInt64);
       g.keyword("out", out);
       return fractions(g, out);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return fractions(g, integers(g, g.call("sums", "aten.cumsum.default", {in.x, 0}, {4, 4})));
     }},
    {"a_sum_that_is_computed_in_flags",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef numbers = integers(g, in.x);
       const TensorRef out = g.call("out", "aten.ge.Scalar", {in.w, 0}, {4}, DType::kBool);
       g.call("sums", "aten.sum.IntList_out", {numbers, {0}}, {4}, DType::kBool);
       g.keyword("out", out);
       return fractions(g, out);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef sums =
           g.call("sums", "aten.sum.dim_IntList", {integers(g, in.x), {0}}, {4}, DType::kInt64);
       return fractions(g, g.call("any", "aten.ne.Scalar", {sums, 0}, {4}, DType::kBool));
     }},
    {"flags_that_become_numbers",
     [](GraphBuilder& g, const Inputs& in) {
       g.call("flags", "aten.ge.Scalar_out", {in.x, 0}, {4, 4});
       g.keyword("out", in.x);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g,
                   fractions(g, g.call("ge", "aten.ge.Scalar", {in.x, 0}, {4, 4}, DType::kBool)));
     },
     unchanged},
};

class WriteOfObject : public testing::TestWithParam<Write> {};

TEST_P(WriteOfObject, IsSeenByWhoReadsIt) { expect_seen(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Of, WriteOfObject, testing::ValuesIn(kObjectWrites),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace assay::test
