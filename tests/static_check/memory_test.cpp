// Programs that write into memory, against functional ones: a program refines what PyTorch makes of
// it, and not what a reader would see who missed the write.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

/// Input x is [4, 4], z [2, 4], w [4].
struct Inputs {
  TensorRef x, z, w;
};
using Program = std::function<TensorRef(GraphBuilder&, const Inputs&)>;

/// One rank runs `ranks`.
Case case_of(const Program& sequential, const Program& ranks) {
  CaseBuilder c(1);
  const auto run = [](GraphBuilder& g, const Program& program) {
    const Inputs inputs{g.input("x", {4, 4}), g.input("z", {2, 4}), g.input("w", {4})};
    const TensorRef output = program(g, inputs);
    g.output(output);
    return g.name_of(output);
  };
  const std::string wanted = run(c.sequential(), sequential);
  c.expect(wanted, {run(c.rank(0), ranks) + "@0"});
  for (const char* input : {"x", "z", "w"}) c.replicate(input);
  return c.build();
}

/// Whether it is proved; a refusal is no proof.
bool is_proved(const Program& sequential, const Program& ranks) {
  try {
    return prove(case_of(sequential, ranks)).report.verdict == Verdict::kProved;
  } catch (const UserError&) {
    return false;
  }
}

TensorRef relu(GraphBuilder& g, TensorRef x) {
  return g.call("y", "aten.relu.default", {x}, g.shape(x));
}
TensorRef rows(GraphBuilder& g, const std::string& name, TensorRef x, int start, int end,
               int step = 1) {
  Shape shape = g.shape(x);
  shape[0] = (end - start + step - 1) / step;
  return g.call(name, "aten.slice.Tensor", {x, 0, start, end, step}, shape);
}
TensorRef cat(GraphBuilder& g, const std::vector<Argument>& pieces, Shape shape = {4, 4}) {
  return g.call("joined", "aten.cat.default", {pieces}, std::move(shape));
}
TensorRef zeros(GraphBuilder& g, const std::string& name, Shape shape) {
  std::vector<Argument> sizes;
  for (const int64_t size : shape) sizes.emplace_back(size);
  return g.call(name, "aten.zeros.default", {sizes}, std::move(shape));
}
void in_place(GraphBuilder& g, const std::string& op, std::vector<Argument> args, TensorRef self) {
  g.call("written_" + std::to_string(g.graph().nodes.size()), op, std::move(args), g.shape(self));
}
void copy_into(GraphBuilder& g, TensorRef to, TensorRef from) {
  in_place(g, "aten.copy_.default", {to, from}, to);
}
void add_one(GraphBuilder& g, TensorRef self) { in_place(g, "aten.add_.Scalar", {self, 1}, self); }
TensorRef plus_one(GraphBuilder& g, TensorRef x, const std::string& name = "more") {
  return g.call(name, "aten.add.Scalar", {x, 1}, g.shape(x));
}

struct Write {
  const char* name;
  Program program;
  Program right;  // none: nobody can say, and every claim is refused
  Program wrong;
};
void PrintTo(const Write& write, std::ostream* out) { *out << write.name; }

TensorRef unchanged(GraphBuilder& g, const Inputs& in) { return relu(g, in.x); }
TensorRef one_more(GraphBuilder& g, const Inputs& in) { return relu(g, plus_one(g, in.x)); }

const Write kWrites[] = {
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
     nullptr, unchanged},
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
    {"itself_shifted",
     [](GraphBuilder& g, const Inputs& in) {
       copy_into(g, rows(g, "a", in.x, 0, 3), rows(g, "b", in.x, 1, 4));
       return relu(g, in.x);
     },
     nullptr,
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, cat(g, {rows(g, "b", in.x, 1, 4), rows(g, "d", in.x, 3, 4)}));
     }},
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
       return relu(g, in.w);
     },
     nullptr, [](GraphBuilder& g, const Inputs& in) { return relu(g, in.w); }},
};

class MemoryWrite : public testing::TestWithParam<Write> {};

TEST_P(MemoryWrite, IsSeenByWhoReadsTheMemory) {
  const Write& write = GetParam();
  if (write.right) {
    EXPECT_TRUE(proves(case_of(write.right, write.program)));
    EXPECT_TRUE(proves(case_of(write.program, write.right)));
  }
  EXPECT_FALSE(is_proved(write.wrong, write.program));
  EXPECT_FALSE(is_proved(write.program, write.wrong));
}

INSTANTIATE_TEST_SUITE_P(Of, MemoryWrite, testing::ValuesIn(kWrites),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// What an operator without a declaration writes is a function of its operands, as its results are.
TEST(Memory, UnknownFunctionsThatWriteAreEqualToThemselves) {
  const Program* programs = nullptr;
  for (const Write& write : kWrites) {
    const std::string name = write.name;
    if (name != "running_statistics" && name != "moments" && name != "a_list") continue;
    programs = &write.program;
    EXPECT_TRUE(proves(case_of(*programs, *programs))) << name;
  }
  EXPECT_NE(programs, nullptr);
}

TEST(Memory, AnUnknownOperatorIsAFunctionAsLongAsNobodyReadsItsOperands) {
  const auto program = [](bool read_again) {
    return [read_again](GraphBuilder& g, const Inputs& in) {
      const TensorRef operand = plus_one(g, in.x);
      const TensorRef result = g.call("r", "own.twist.default", {operand}, {4, 4});
      return relu(g, read_again ? operand : result);
    };
  };
  EXPECT_TRUE(is_proved(program(false), program(false)));
  EXPECT_FALSE(is_proved(one_more, program(true)));
}

TEST(Memory, WhatCommunicatesIsNoFunctionOfItsOperands) {
  const Program reduced = [](GraphBuilder& g, const Inputs& in) {
    return relu(g, g.call("sum", "c10d_functional.all_reduce.default", {in.x, "sum", "", {0, 1}, 2},
                          {4, 4}));
  };
  EXPECT_FALSE(is_proved(reduced, reduced));
}

TEST(Memory, StridesTellAViewFromWhatMayBeACopy) {
  const auto program = [](const std::vector<int64_t>& strides) {
    return [strides](GraphBuilder& g, const Inputs& in) {
      g.strides(in.x, strides);
      add_one(g, g.call("flat", "aten.reshape.default", {in.x, {16}}, {16}));
      return relu(g, in.x);
    };
  };
  EXPECT_TRUE(is_proved(one_more, program({4, 1})));
  EXPECT_FALSE(is_proved(unchanged, program({4, 1})));
  EXPECT_FALSE(is_proved(one_more, program({1, 4})));
}

TEST(Memory, ReadsByStridesAreThoseOfTheLayout) {
  const auto aliased = [](const std::vector<int64_t>& own, std::vector<Argument> given) {
    return [own, given](GraphBuilder& g, const Inputs& in) {
      g.strides(in.x, own);
      return relu(g, g.call("alias", "aten._reshape_alias.default",
                            {in.x, {4, 4}, std::vector<Argument>(given)}, {4, 4}));
    };
  };
  EXPECT_TRUE(is_proved(unchanged, aliased({4, 1}, {4, 1})));
  EXPECT_TRUE(is_proved(unchanged, aliased({1, 4}, {1, 4})));
  EXPECT_FALSE(is_proved(unchanged, aliased({4, 1}, {1, 4})));
  EXPECT_FALSE(is_proved(unchanged, aliased({1, 4}, {4, 1})));
}

TEST(Memory, AnOutputThatIsAnInputIsComparedAsAnyOther) {
  const auto given = [](GraphBuilder&, const Inputs& in) { return in.x; };
  EXPECT_FALSE(
      is_proved(given, [](GraphBuilder& g, const Inputs&) { return zeros(g, "y", {4, 4}); }));
  EXPECT_TRUE(is_proved(given, given));
}

}  // namespace
}  // namespace assay::test
