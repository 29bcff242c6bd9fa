// What the lifter claims of a program is derived by the checker from rules of its own, whatever
// forms its operands have. Each program has a twin that computes something else.
#include <functional>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

struct GivenTensors {
  TensorRef x;       // [4, 3]
  TensorRef ids;     // [4] integers
  TensorRef square;  // [4, 4]
  TensorRef bytes;   // [1]
};

using ProgramOfInputs = std::function<TensorRef(GraphBuilder&, const GivenTensors&)>;

struct Derivation {
  std::string name;
  ProgramOfInputs right, wrong;
  ProgramOfInputs sequential = {};  // where it is not `right`
};

Case derived_case(const ProgramOfInputs& sequential, const ProgramOfInputs& rank) {
  CaseBuilder c(1);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const GivenTensors inputs{g->input("x", {4, 3}), g->input("ids", {4}, DType::kInt64),
                              g->input("square", {4, 4}), g->input("bytes", {1}, DType::kUint8)};
    g->output("y", (g == &c.rank(0) ? rank : sequential)(*g, inputs));
  }
  for (const char* name : {"x", "ids", "square", "bytes"}) c.replicate(name);
  return c.build();
}

TensorRef call(GraphBuilder& g, const std::string& op, std::vector<Argument> args, Shape shape,
               DType dtype = DType::kFloat32) {
  return g.call("t" + std::to_string(g.graph().nodes.size()), "aten." + op, std::move(args),
                std::move(shape), dtype);
}

TensorRef rows_of(GraphBuilder& g, TensorRef x, int begin, int end) {
  Shape shape = g.shape(x);
  shape[0] = end - begin;
  return call(g, "slice.Tensor", {x, 0, begin, end}, shape);
}

TensorRef filled(GraphBuilder& g, const Shape& shape, double value, DType dtype) {
  std::vector<Argument> sizes;
  for (const int64_t size : shape) sizes.emplace_back(size);
  return call(g, "full.default", {sizes, value, dtype}, shape, dtype);
}

TensorRef to_type(GraphBuilder& g, TensorRef x, DType dtype) {
  return call(g, "_to_copy.default", {x, dtype}, g.shape(x), dtype);
}

// exp(log(sum of as many exp(0))), and the softmax of that logarithm.
ProgramOfInputs count_by_exponentials(int count) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef zeros = call(g, "sub.Tensor", {in.x, in.x}, {4, 3});
    const TensorRef sum =
        call(g, "logsumexp.default", {rows_of(g, zeros, 0, count), {0}, false}, {3});
    return call(
        g, "add.Tensor",
        {call(g, "exp.default", {sum}, {3}), call(g, "_softmax.default", {sum, 0, false}, {3})},
        {3});
  };
}

// log_softmax of some rows of a log_softmax.
ProgramOfInputs softmax_of_rows(int begin, int end) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef all = call(g, "_log_softmax.default", {in.x, 0, false}, {4, 3});
    const TensorRef some = rows_of(g, all, begin, end);
    return call(g, "_log_softmax.default", {some, 0, false}, g.shape(some));
  };
}

// log(1 + a softmax, or its square).
ProgramOfInputs log_of_power(bool square) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef once = call(g, "_softmax.default", {in.x, 1, false}, {4, 3});
    const TensorRef power = square ? call(g, "mul.Tensor", {once, once}, {4, 3}) : once;
    return call(g, "log1p.default", {power}, {4, 3});
  };
}

// Along rows, of a log_softmax along columns or of what that is taken of.
ProgramOfInputs softmax_across(bool twice) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef x = twice ? call(g, "_log_softmax.default", {in.x, 0, false}, {4, 3}) : in.x;
    return call(g, "_softmax.default", {x, 1, false}, {4, 3});
  };
}

// Softmax of a log_softmax of x between constants.
ProgramOfInputs softmax_beside_constants(double constant) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef joined = call(g, "cat.default",
                                  {{filled(g, {3, 3}, constant, DType::kFloat32),
                                    filled(g, {3, 3}, 0, DType::kFloat32), in.x},
                                   0},
                                  {10, 3});
    const TensorRef logarithms = call(g, "_log_softmax.default", {joined, 0, false}, {10, 3});
    return call(g, "_softmax.default", {logarithms, 0, false}, {10, 3});
  };
}

// The same mask of integers, and of them as floating numbers.
ProgramOfInputs masks_of_two_types(int64_t masked) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef sums = call(g, "sum.dim_IntList", {in.x, {1}}, {4});
    const TensorRef mask = call(g, "gt.Scalar", {sums, 0.5}, {4}, DType::kBool);
    const TensorRef kept =
        call(g, "masked_fill.Scalar", {in.ids, mask, masked}, {4}, DType::kInt64);
    const TensorRef numbers = to_type(g, in.ids, DType::kFloat32);
    return call(g, "mul.Tensor",
                {to_type(g, kept, DType::kFloat32),
                 call(g, "masked_fill.Scalar", {numbers, mask, static_cast<double>(masked)}, {4})},
                {4});
  };
}

ProgramOfInputs bounds_of_two_types(int bound) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef zeros = call(g, "sub.Tensor", {in.ids, in.ids}, {4}, DType::kInt64);
    const TensorRef none = call(g, "sub.Tensor", {in.square, in.square}, {4, 4});
    const TensorRef integer =
        to_type(g, call(g, "clamp_min.default", {zeros, 2}, {4}, DType::kInt64), DType::kFloat32);
    return call(g, "add.Tensor", {integer, call(g, "clamp_min.default", {none, bound}, {4, 4})},
                {4, 4});
  };
}

// 2 ids = number.
ProgramOfInputs twice_is(int number) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef twice = call(g, "mul.Tensor", {in.ids, 2}, {4}, DType::kInt64);
    return call(g, "eq.Scalar", {twice, number}, {4}, DType::kBool);
  };
}

// 2 ids - number, as flags.
ProgramOfInputs flags_of_twice(int number) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef twice = call(g, "mul.Tensor", {in.ids, 2}, {4}, DType::kInt64);
    return to_type(g, call(g, "sub.Tensor", {twice, number}, {4}, DType::kInt64), DType::kBool);
  };
}

// Halves that a comparison reads are no integers where another reads them.
ProgramOfInputs halves(const char* compare, double bound) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef column =
        call(g, "unsqueeze.default", {to_type(g, in.ids, DType::kFloat32), 1}, {4, 1});
    const TensorRef half = call(g, "mul.Tensor", {column, 0.5}, {4, 1});
    const TensorRef beside = call(g, "ge.Tensor", {half, in.x}, {4, 3}, DType::kBool);
    const TensorRef largest = call(g, "amax.default", {half, {1}, true}, {4, 1});
    const TensorRef above = call(g, compare, {largest, bound}, {4, 1}, DType::kBool);
    return call(g, "logical_and.default", {beside, above}, {4, 3}, DType::kBool);
  };
}

// One-hots of one-hots, times a number.
ProgramOfInputs classes_of_classes(int times) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef hot = call(g, "one_hot.default", {in.ids, 4}, {4, 4}, DType::kInt64);
    const TensorRef index = call(g, "mul.Tensor", {hot, times}, {4, 4}, DType::kInt64);
    return call(g, "one_hot.default", {index, 4}, {4, 4, 4}, DType::kInt64);
  };
}

// The class of the largest or the smallest flag.
ProgramOfInputs class_of_flags(const char* extremum) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef flags = call(g, "gt.Scalar", {in.x, 0.5}, {4, 3}, DType::kBool);
    const TensorRef flag = call(g, extremum, {flags, {1}}, {4}, DType::kBool);
    return call(g, "one_hot.default", {to_type(g, flag, DType::kInt64), 4}, {4, 4}, DType::kInt64);
  };
}

// The sum of pairs of sums of rows, which overlap; the last pair begins at `last`.
ProgramOfInputs pairs_of_rows(int last) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef sums = call(g, "sum.dim_IntList", {in.x, {1}}, {4});
    const auto pair = [&](int begin, int end, int step) {
      return call(g, "slice.Tensor", {sums, 0, begin, end, step}, {2});
    };
    const TensorRef joined =
        call(g, "cat.default", {{pair(0, 3, 2), pair(0, 4, 3), pair(last, last + 2, 1)}, 0}, {6});
    return call(g, "sum.default", {joined}, {});
  };
}

TensorRef matrix_product(GraphBuilder& g, TensorRef a, TensorRef b) {
  return call(g, "mm.default", {a, b}, {4, 4});
}

TensorRef cube_from_the_right(GraphBuilder& g, const GivenTensors& in) {
  return matrix_product(g, in.square, matrix_product(g, in.square, in.square));
}

TensorRef cube_from_the_left(GraphBuilder& g, const GivenTensors& in) {
  return matrix_product(g, matrix_product(g, in.square, in.square), in.square);
}

TensorRef turned_cube(GraphBuilder& g, const GivenTensors& in) {
  const TensorRef turned = call(g, "t.default", {in.square}, {4, 4});
  return matrix_product(g, matrix_product(g, in.square, in.square), turned);
}

// The softmax and log_softmax of a log_softmax, of which a column is scaled by a sum.
ProgramOfInputs softmax_beside_a_product(int scaled) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef scale = call(g, "sum.default", {in.x}, {});
    const TensorRef row = rows_of(g, in.square, 0, 1);
    const TensorRef once = call(g, "_log_softmax.default", {row, 1, false}, {1, 4});
    const auto columns = [&](int begin, int end) {
      return call(g, "slice.Tensor", {once, 1, begin, end}, {1, end - begin});
    };
    const TensorRef product = call(g, "mul.Tensor", {columns(scaled, scaled + 1), scale}, {1, 1});
    const TensorRef joined =
        call(g, "cat.default", {{columns(0, 2), product, columns(3, 4)}, 1}, {1, 4});
    return call(g, "add.Tensor",
                {call(g, "_softmax.default", {joined, 1, false}, {1, 4}),
                 call(g, "_log_softmax.default", {joined, 1, false}, {1, 4})},
                {1, 4});
  };
}

// logsumexp of the logsumexp of more pieces than a sum is unfolded into.
ProgramOfInputs logarithms_of_pieces(int first) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    std::vector<Argument> pieces;
    for (int i = 0; i < 36; ++i) {
      const int at = i == 0 ? first : i * 7 % 12;
      const TensorRef row = rows_of(g, in.x, at / 3, at / 3 + 1);
      const TensorRef element = call(g, "slice.Tensor", {row, 1, at % 3, at % 3 + 1}, {1, 1});
      pieces.emplace_back(call(g, "mul.Tensor", {element, i / 12 + 1}, {1, 1}));
    }
    const TensorRef joined = call(g, "cat.default", {pieces, 0}, {36, 1});
    const TensorRef once = call(g, "logsumexp.default", {joined, {0}, false}, {1});
    const TensorRef sum = call(g, "sum.dim_IntList", {in.square, {0, 1}, false}, {});
    const TensorRef other = call(g, "view.default", {sum, {1}}, {1});
    const TensorRef twice = call(g, "cat.default", {{once, other}, 0}, {2});
    return call(g, "logsumexp.default", {twice, {0}, false}, {});
  };
}

// The softmax of multiples of the logarithm of a number of exponentials.
ProgramOfInputs softmax_of_multiples(int times) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef numbers = filled(g, {4, 3}, -1, DType::kFloat32);
    const TensorRef sum = call(g, "logsumexp.default", {numbers, {0}, false}, {3});
    const TensorRef scaled = call(g, "mul.Tensor", {sum, times}, {3});
    const TensorRef joined = call(
        g, "cat.default", {{scaled, call(g, "sum.dim_IntList", {in.square, {1}}, {4})}, 0}, {7});
    return call(g, "_softmax.default", {joined, 0, false}, {7});
  };
}

// The sum of the rows of a quotient, turned by one.
ProgramOfInputs sum_of_turned_rows(int end) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef rows = rows_of(g, in.x, 0, 3);
    const TensorRef divisor = call(g, "sum.default", {in.square}, {});
    const TensorRef quotient = call(g, "div.Tensor", {rows, divisor}, {3, 3});
    const TensorRef all = call(g, "sum.default", {rows}, {});
    const TensorRef turned = call(g, "roll.default", {quotient, {1}, {0}}, {3, 3});
    const TensorRef flipped = call(g, "flip.default", {turned, {0}}, {3, 3});
    const TensorRef sum = call(g, "sum.default", {rows_of(g, flipped, 0, end)}, {});
    return call(g, "add.Tensor", {sum, all}, {});
  };
}

// The smallest of bytes as flags, by way of bytes.
ProgramOfInputs flags_of_bytes(bool negated) {
  return [=](GraphBuilder& g, const GivenTensors& in) {
    const TensorRef flags = to_type(g, in.bytes, DType::kBool);
    const TensorRef least = call(g, "amin.default", {flags, {-1}, true}, {1}, DType::kBool);
    const TensorRef again = to_type(g, to_type(g, least, DType::kUint8), DType::kBool);
    return negated ? call(g, "logical_not.default", {again}, {1}, DType::kBool) : again;
  };
}

class Derivations : public testing::TestWithParam<Derivation> {};

TEST_P(Derivations, AreThoseOfWhatIsComputed) {
  const Derivation& of = GetParam();
  const ProgramOfInputs& sequential = of.sequential ? of.sequential : of.right;
  EXPECT_TRUE(proves(derived_case(sequential, of.right)));
  EXPECT_FALSE(proves(derived_case(sequential, of.wrong)));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Derivations,
    testing::Values(
        Derivation{"ExponentialsOfConstants", count_by_exponentials(4), count_by_exponentials(3)},
        Derivation{"PartsOfSoftmax", softmax_of_rows(1, 4), softmax_of_rows(0, 3)},
        Derivation{"LogOfSquare", log_of_power(true), log_of_power(false)},
        Derivation{"SoftmaxAcross", softmax_across(true), softmax_across(false)},
        Derivation{"SoftmaxBesideConstants", softmax_beside_constants(-1),
                   softmax_beside_constants(-2)},
        Derivation{"MasksOfTwoTypes", masks_of_two_types(0), masks_of_two_types(1)},
        Derivation{"BoundsOfTwoTypes", bounds_of_two_types(2), bounds_of_two_types(3)},
        Derivation{"NoRoots", twice_is(1), twice_is(2)},
        Derivation{"FlagsWithoutRoots", flags_of_twice(1), flags_of_twice(2)},
        Derivation{"Halves", halves("gt.Scalar", 0), halves("ge.Scalar", 1)},
        Derivation{"ClassesOfClasses", classes_of_classes(2), classes_of_classes(1)},
        Derivation{"ClassesOfFlags", class_of_flags("amax.default"),
                   class_of_flags("amin.default")},
        Derivation{"PairsOfRows", pairs_of_rows(2), pairs_of_rows(1)},
        Derivation{"SoftmaxBesideAProduct", softmax_beside_a_product(2),
                   softmax_beside_a_product(1)},
        Derivation{"LogarithmsOfPieces", logarithms_of_pieces(0), logarithms_of_pieces(1)},
        Derivation{"SoftmaxOfMultiples", softmax_of_multiples(4), softmax_of_multiples(3)},
        Derivation{"SumOfTurnedRows", sum_of_turned_rows(3), sum_of_turned_rows(2)},
        Derivation{"FlagsOfBytes", flags_of_bytes(false), flags_of_bytes(true)},
        Derivation{"Cubes", cube_from_the_left, turned_cube, cube_from_the_right}),
    [](const auto& instance) { return instance.param.name; });

// The sum over ranks of x's parts, or one part; each is a factor of x^3 beside it.
Case part_in_a_cube(bool whole_sum) {
  CaseBuilder c(2);
  GraphBuilder& s = c.sequential();
  s.output("y", call(s, "neg.default", {s.input("x", {3})}, {3}));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef part = g.input("x", {3}), whole = all_reduce(g, "whole", part);
    const TensorRef square = call(g, "mul.Tensor", {whole, whole}, {3});
    call(g, "mul.Tensor", {part, square}, {3});
    g.output("y", call(g, "neg.default", {whole_sum ? whole : part}, {3}));
  }
  c.relate("x", {"sum(x@0, x@1)"});
  c.expect("y", {"y@0", "y@1"});
  return c.build();
}

TEST(DerivedClaims, APartTimesAProductOfItsSumIsNoPartOfIt) {
  EXPECT_TRUE(proves(part_in_a_cube(true)));
  EXPECT_FALSE(proves(part_in_a_cube(false)));
}

}  // namespace
}  // namespace assay::test
