// What operators write: each by its schema.
#include "tests/static_check/memory/memory_program.h"

namespace assay::test {
namespace {

const Write kOperatorWrites[] = {
    {"a_keyword_for_the_result",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef a = rows(g, "a", in.x, 0, 2);
       g.call("added", "aten.add.out", {in.z, in.z}, {2, 4});
       g.keyword("out", a);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef sum = g.call("sum", "aten.add.Tensor", {in.z, in.z}, {2, 4});
       return relu(g, cat(g, {sum, rows(g, "b", in.x, 2, 4)}));
     },
     unchanged},
    {"a_keyword_for_the_operand",
     [](GraphBuilder& g, const Inputs& in) {
       g.call("added", "aten.add_.Scalar", {}, {4, 4});
       g.keyword("self", in.x);
       g.keyword("other", 1);
       return relu(g, in.x);
     },
     one_more, unchanged},
    {"a_list",
     [](GraphBuilder& g, const Inputs& in) {
       g.effect("aten._foreach_add_.Scalar", {{in.z, in.x}, 1});
       return relu(g, in.x);
     },
     one_more, unchanged},
    {"views_of_a_bucket",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef bucket = zeros(g, "bucket", {4, 4});
       const TensorRef first = rows(g, "first", bucket, 0, 2),
                       second = rows(g, "second", bucket, 2, 4);
       g.effect("aten._foreach_copy_.default", {{first, second}, {in.z, plus_one(g, in.z, "p")}});
       return relu(g, bucket);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {in.z, plus_one(g, in.z, "p")}));
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {plus_one(g, in.z, "q"), plus_one(g, in.z, "p")}));
     }},
    {"lists_of_one_memory",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef first = rows(g, "first", in.x, 0, 2), second = rows(g, "second", in.x, 1, 3);
       g.effect("aten._foreach_add_.Scalar", {{first, second}, 1});
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"a_list_of_numbers",
     [](GraphBuilder& g, const Inputs& in) {
       g.effect("aten._foreach_add_.ScalarList", {{in.z, in.x}, {2, 1}});
       return relu(g, in.x);
     },
     one_more,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, plus_one(g, plus_one(g, in.x, "m")));
     }},
    {"transposed_for_good",
     [](GraphBuilder& g, const Inputs& in) {
       in_place(g, "aten.t_.default", {in.x}, in.x);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("t", "aten.t.default", {in.x}, {4, 4}));
     },
     unchanged},
    {"written_after_it_was_transposed_for_good",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef view = rows(g, "a", in.x, 0, 4);
       in_place(g, "aten.transpose_.default", {in.x, 0, 1}, in.x);
       copy_into(g, rows(g, "b", in.x, 0, 1),
                 g.call("row", "aten.unsqueeze.default", {in.w, 0}, {1, 4}));
       return relu(g, g.call("column", "aten.select.int", {view, 1, 0}, {4}));
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("column", "aten.select.int", {in.x, 1, 0}, {4}));
     }},
    {"a_kernel_that_is_declared",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef residual = rows(g, "a", in.x, 0, 2);
       g.effect("_C.fused_add_rms_norm.default", {in.z, residual, in.w, 1e-5});
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef sum =
           g.call("sum", "aten.add.Tensor", {in.z, rows(g, "a", in.x, 0, 2)}, {2, 4});
       return relu(g, cat(g, {sum, rows(g, "b", in.x, 2, 4)}));
     },
     unchanged},
    {"itself_multiplied_as_matrices",
     [](GraphBuilder& g, const Inputs& in) {
       in_place(g, "aten.addmm_.default", {in.x, in.x, in.x}, in.x);
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"nothing",
     [](GraphBuilder& g, const Inputs& in) {
       in_place(g, "aten.requires_grad_.default", {in.x, true}, in.x);
       g.call("copy", "aten.clone.default", {in.x}, {4, 4});
       return relu(g, in.x);
     },
     unchanged, one_more},
    {"where_a_mask_is_set",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef half = rows(g, "a", in.x, 0, 2);
       const TensorRef mask = g.call("mask", "aten.ge.Scalar", {in.z, 0}, {2, 4}, DType::kBool);
       in_place(g, "aten.masked_fill_.Scalar", {half, mask, 1.5}, half);
       return relu(g, in.x);
     },
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef mask = g.call("mask", "aten.ge.Scalar", {in.z, 0}, {2, 4}, DType::kBool);
       const TensorRef filled = g.call("filled", "aten.masked_fill.Scalar",
                                       {rows(g, "a", in.x, 0, 2), mask, 1.5}, {2, 4});
       return relu(g, cat(g, {filled, rows(g, "b", in.x, 2, 4)}));
     },
     unchanged},
    {"what_may_be_its_operand",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("kept", "aten.dropout.default", {in.x, 0.5, false}, {4, 4}));
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"what_was_waited_for",
     [](GraphBuilder& g, const Inputs& in) {
       add_one(g, g.call("waited", "_c10d_functional.wait_tensor.default", {in.x}, {4, 4}));
       return relu(g, in.x);
     },
     one_more, unchanged},
    {"other_bits",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef bits =
           g.call("bits", "aten.view.dtype", {in.x, DType::kInt32}, {4, 4}, DType::kInt32);
       g.call("zeroed", "aten.zero_.default", {bits}, {4, 4}, DType::kInt32);
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"by_an_operator_that_nothing_is_known_of",
     [](GraphBuilder& g, const Inputs& in) {
       g.effect("own.touch.default", {in.x});
       return relu(g, in.x);
     },
     nullptr, unchanged},
    {"running_statistics",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef variance = g.call("v", "aten.clone.default", {in.w}, {4});
       g.call_many("bn", "aten.native_batch_norm.default",
                   {in.x, NoArg{}, NoArg{}, in.w, variance, true, 0.1, 1e-5},
                   {{{4, 4}}, {{4}}, {{4}}});
       return relu(g, in.w);
     },
     nullptr, [](GraphBuilder& g, const Inputs& in) { return relu(g, in.w); }},
    {"moments",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef moment = g.call("m", "aten.clone.default", {in.w}, {4});
       g.effect("aten._fused_adam_.default", {{plus_one(g, in.w, "weight")},
                                              {plus_one(g, in.w, "gradient")},
                                              {in.w},
                                              {moment},
                                              std::vector<Argument>{},
                                              {plus_one(g, in.w, "step")}});
       for (const char* rate : {"lr", "beta1", "beta2", "eps"}) g.keyword(rate, 0.5);
       g.keyword("weight_decay", 0.0);
       for (const char* flag : {"amsgrad", "maximize"}) g.keyword(flag, false);
       return relu(g, in.w);
     },
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, g.call("half", "aten.add.Scalar", {in.w, 0.5}, {4}));
     },
     [](GraphBuilder& g, const Inputs& in) { return relu(g, in.w); }},
};

class WriteOfOperator : public testing::TestWithParam<Write> {};

TEST_P(WriteOfOperator, IsSeenByWhoReadsTheMemory) { expect_seen(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Of, WriteOfOperator, testing::ValuesIn(kOperatorWrites),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// What an operator without a declaration writes is a function of its operands, as its results are.
TEST(Memory, UnknownFunctionsThatWriteAreEqualToThemselves) {
  const MemoryProgram* programs = nullptr;
  for (const Write& write : kOperatorWrites) {
    const std::string name = write.name;
    if (name != "running_statistics") continue;
    programs = &write.program;
    EXPECT_TRUE(proves(case_of(*programs, *programs))) << name;
  }
  EXPECT_NE(programs, nullptr);
}

}  // namespace
}  // namespace assay::test
