// Writes through views: who reads the memory by another name sees what was written.
#include "tests/static_check/memory/memory_program.h"

namespace assay::test {
namespace {

/// The eight elements of x as they follow each other, among zeros, as a matrix of four rows.
TensorRef between_zeros(GraphBuilder& g, TensorRef x, int64_t before, int64_t after) {
  const TensorRef flat = g.call("flat", "aten.reshape.default", {x, {8}}, {8});
  const TensorRef all =
      g.call("all", "aten.constant_pad_nd.default", {flat, {before, after}}, {16});
  return g.call("rows", "aten.reshape.default", {all, {4, 4}}, {4, 4});
}

const Write kViewWrites[] = {
    {"rows",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, rows(g, "a", in.x, 0, 2), in.z);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {in.z, rows(g, "b", in.x, 2, 4)}));
     },
     unchanged},
    {"other_rows",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, rows(g, "a", in.x, 1, 3), in.z);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {rows(g, "a", in.x, 0, 1), in.z, rows(g, "b", in.x, 3, 4)}));
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {in.z, rows(g, "b", in.x, 2, 4)}));
     }},
    {"every_second_row",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, rows(g, "a", in.x, 0, 4, 2), in.z);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {rows(g, "a", in.z, 0, 1), rows(g, "b", in.x, 1, 2),
                              rows(g, "c", in.z, 1, 2), rows(g, "d", in.x, 3, 4)}));
     },
     unchanged},
    {"rows_of_a_constant",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef cache = zeros(g, "cache", {4, 4});
       copy_into(g, rows(g, "a", cache, 0, 2), in.z);
       return relu(g, cache);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {in.z, zeros(g, "rest", {2, 4})}));
     },
     [](GraphBuilder& g, const Inputs&) { return relu(g, zeros(g, "cache", {4, 4})); }},
    {"all_of_a_constant",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef cache = zeros(g, "cache", {4, 4});
       copy_into(g, g.call("alias", "aten.detach.default", {cache}, {4, 4}), in.x);
       return relu(g, cache);
     },
     unchanged, [](GraphBuilder& g, const Inputs&) { return relu(g, zeros(g, "cache", {4, 4})); }},
    {"transposed",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("t", "aten.t.default", {in.x}, {4, 4}));
       return relu(g, in.x);
     },
     one_more, unchanged},
    {"flattened",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("flat", "aten.view.default", {in.x, {16}}, {16}));
       return relu(g, in.x);
     },
     one_more, unchanged},
    {"one_row",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, g.call("row", "aten.select.int", {in.x, 0, -1}, {4}), in.w);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef row = g.call("row", "aten.unsqueeze.default", {in.w, 0}, {1, 4});
       return relu(g, cat(g, {rows(g, "a", in.x, 0, 3), row}));
     },
     unchanged},
    {"the_diagonal",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, g.call("d", "aten.diagonal.default", {in.x}, {4}), in.w);
       return relu(g, g.call("again", "aten.diagonal.default", {in.x}, {4}));
     },
     [](GraphBuilder& g, const Inputs& in) { return relu(g, in.w); },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("d", "aten.diagonal.default", {in.x}, {4}));
     }},
    {"a_piece_from_another",
     [](GraphBuilder& g, const Inputs& in) {
       const auto pieces =
           g.call_many("piece", "aten.split.Tensor", {in.x, 2}, {{{2, 4}}, {{2, 4}}});
       copy_into(g, pieces[0], pieces[1]);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef half = rows(g, "a", in.x, 2, 4);
       return relu(g, cat(g, {half, half}));
     },
     unchanged},
    {"read_through_another_view",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef a = rows(g, "a", in.x, 0, 2), b = rows(g, "b", in.x, 1, 3);
       add_one(g, a);
       return relu(g, b);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(
           g, cat(g, {plus_one(g, rows(g, "a", in.x, 1, 2)), rows(g, "b", in.x, 2, 3)}, {2, 4}));
     },
     [](GraphBuilder& g, const Inputs& in) { return relu(g, rows(g, "b", in.x, 1, 3)); }},
    {"read_before_and_after",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef before = g.call("before", "aten.neg.default", {in.x}, {4, 4});
       add_one(g, in.x);
       return g.call("y", "aten.add.Tensor", {before, in.x}, {4, 4});
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef before = g.call("before", "aten.neg.default", {in.x}, {4, 4});
       return g.call("y", "aten.add.Tensor", {before, plus_one(g, in.x)}, {4, 4});
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef before = g.call("before", "aten.neg.default", {plus_one(g, in.x)}, {4, 4});
       return g.call("y", "aten.add.Tensor", {before, in.x}, {4, 4});
     }},
    {"itself_shifted",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, rows(g, "a", in.x, 0, 3), rows(g, "b", in.x, 1, 4));
       return relu(g, in.x);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {rows(g, "b", in.x, 1, 4), rows(g, "d", in.x, 3, 4)}));
     }},
    {"a_block_by_two_slices",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef a = rows(g, "a", in.x, 0, 2);
       add_one(g, g.call("block", "aten.slice.Tensor", {a, 1, 1, 3}, {2, 2}));
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef a = rows(g, "a", in.x, 0, 2);
       const auto columns = [&](const std::string& name, int start, int end) {
         return g.call(name, "aten.slice.Tensor", {a, 1, start, end}, {2, end - start});
       };
       const TensorRef top = g.call(
           "top", "aten.cat.default",
           {{columns("c", 0, 1), plus_one(g, columns("d", 1, 3)), columns("e", 3, 4)}, 1}, {2, 4});
       return relu(g, cat(g, {top, rows(g, "b", in.x, 2, 4)}));
     },
     unchanged},
    {"columns_from_other_columns",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, g.call("a", "aten.slice.Tensor", {in.x, 1, 0, 2}, {4, 2}),
                 g.call("b", "aten.slice.Tensor", {in.x, 1, 2, 4}, {4, 2}));
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef b = g.call("b", "aten.slice.Tensor", {in.x, 1, 2, 4}, {4, 2});
       return relu(g, g.call("twice", "aten.cat.default", {{b, b}, 1}, {4, 4}));
     },
     unchanged},
    {"columns_from_columns_next_to_them",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, g.call("a", "aten.slice.Tensor", {in.x, 1, 0, 3}, {4, 3}),
                 g.call("b", "aten.slice.Tensor", {in.x, 1, 1, 4}, {4, 3}));
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"itself_transposed",
     [](GraphBuilder& g, const Inputs& in) {
       in_place(g, "aten.add_.Tensor", {in.x, g.call("t", "aten.t.default", {in.x}, {4, 4})}, in.x);
       return relu(g, in.x);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("sum", "aten.add.Tensor",
                             {in.x, g.call("t", "aten.t.default", {in.x}, {4, 4})}, {4, 4}));
     }},
    {"itself_doubled",
     [](GraphBuilder& g, const Inputs& in) {
       in_place(g, "aten.add_.Tensor",
                {in.x, g.call("alias", "aten.detach.default", {in.x}, {4, 4})}, in.x);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("sum", "aten.add.Tensor", {in.x, in.x}, {4, 4}));
     },
     unchanged},
    {"pieces_that_are_called_copies",
     [](GraphBuilder& g, const Inputs& in) {
       const auto pieces =
           g.call_many("piece", "aten.unsafe_split.Tensor", {in.x, 2}, {{{2, 4}}, {{2, 4}}});
       add_one(g, pieces[0]);
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"a_format_that_was_dropped",
     [](GraphBuilder& g, const Inputs& in) {
       g.strides(in.x, {4, 1});
       const TensorRef same = g.call("same", "aten.contiguous.default", {in.x}, {4, 4});
       g.keyword("memory_format", NoArg{});
       add_one(g, same);
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"a_copy",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("copy", "aten.clone.default", {in.x}, {4, 4}));
       return relu(g, in.x);
     },
     unchanged, one_more},
    {"expanded",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("wide", "aten.expand.default", {in.w, {3, 4}}, {3, 4}));
       return relu(g, in.w);
     },
     nullptr, [](GraphBuilder& g, const Inputs& in) { return relu(g, in.w); }},
    {"what_may_be_a_copy",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("flat", "aten.reshape.default", {in.x, {16}}, {16}));
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"windows",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("windows", "aten.unfold.default", {in.x, 0, 2, 2}, {2, 4, 2}));
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"strides_over_a_buffer",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef cache = zeros(g, "cache", {4, 4});
       copy_into(g, g.call("a", "aten.as_strided.default", {cache, {2, 4}, {4, 1}, 8}, {2, 4}),
                 in.z);
       return relu(g, cache);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {zeros(g, "rest", {2, 4}), in.z}));
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {in.z, zeros(g, "rest", {2, 4})}));
     }},
    {"strides_from_the_middle_of_a_row",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef cache = zeros(g, "cache", {4, 4});
       copy_into(g, g.call("a", "aten.as_strided.default", {cache, {2, 4}, {4, 1}, 6}, {2, 4}),
                 in.z);
       return relu(g, cache);
     },
     [](GraphBuilder& g, const Inputs& in) { return relu(g, between_zeros(g, in.z, 6, 2)); },
     [](GraphBuilder& g, const Inputs& in) { return relu(g, between_zeros(g, in.z, 5, 3)); }},
};

class WriteThroughView : public testing::TestWithParam<Write> {};

TEST_P(WriteThroughView, IsSeenByWhoReadsTheMemory) { expect_seen(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Of, WriteThroughView, testing::ValuesIn(kViewWrites),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace assay::test
