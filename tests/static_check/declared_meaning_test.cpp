// What single declarations say: attributes that decide the meaning of an operator are looked at.
#include "tests/static_check/memory/memory_program.h"

namespace assay::test {
namespace {

struct Meaning {
  const char* name;
  MemoryProgram program;
  MemoryProgram right;  // none: it has no equal, but for itself
  MemoryProgram wrong;
};

TensorRef as_fractions(GraphBuilder& g, TensorRef x) {
  return g.call("fractions", "aten.to.dtype", {x, DType::kFloat32}, g.shape(x));
}
TensorRef large_bytes(GraphBuilder& g) {
  const TensorRef bytes = g.call("bytes", "aten.full.default",
                                 {Argument(std::vector<Argument>{4}), 200}, {4}, DType::kUint8);
  g.keyword("dtype", DType::kUint8);
  return bytes;
}
TensorRef running_sum(GraphBuilder& g, DType dtype) {
  const TensorRef sums = g.call("sums", "aten.cumsum.default", {large_bytes(g), 0}, {4}, dtype);
  g.keyword("dtype", dtype);
  return sums;
}
MemoryProgram sorted(bool stable, size_t result) {
  return [=](GraphBuilder& g, const Inputs& in) {
    const std::vector<TensorRef> sorts =
        g.call_many("sorted", "aten.sort.stable", {in.w}, {{{4}}, {{4}, DType::kInt64}});
    g.keyword("stable", stable);
    return relu(g, result == 0 ? sorts[0] : as_fractions(g, sorts[1]));
  };
}
MemoryProgram dropped(double probability) {
  return [=](GraphBuilder& g, const Inputs& in) {
    return relu(g, g.call_many("dropped", "aten.native_dropout.default", {in.x, probability, true},
                               {{{4, 4}}, {{4, 4}, DType::kBool}})[0]);
  };
}

const Meaning kMeanings[] = {
    {"running_sum_in_the_type_that_is_asked",
     [](GraphBuilder& g, const Inputs&) {
       return relu(g, as_fractions(g, running_sum(g, DType::kUint8)));
     },
     [](GraphBuilder& g, const Inputs&) {
       return relu(g, as_fractions(g, g.call("narrow", "aten.to.dtype",
                                             {running_sum(g, DType::kInt64), DType::kUint8}, {4},
                                             DType::kUint8)));
     },
     [](GraphBuilder& g, const Inputs&) {
       return relu(g, as_fractions(g, running_sum(g, DType::kInt64)));
     }},
    {"places_of_equal_elements_that_nothing_orders", sorted(false, 1), nullptr, sorted(true, 1)},
    {"sorted_elements", sorted(false, 0), sorted(true, 0), sorted(true, 1)},
    {"everything_is_dropped", dropped(1.0),
     [](GraphBuilder& g, const Inputs&) { return relu(g, zeros(g, "nothing", {4, 4})); },
     unchanged},
    {"nothing_is_dropped_when_it_does_not_train",
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g,
                   g.call("d", "aten.feature_alpha_dropout.default", {in.x, 0.5, false}, {4, 4}));
     },
     unchanged, [](GraphBuilder& g, const Inputs& in) { return relu(g, plus_one(g, in.x)); }},
    {"flags_of_bytes_are_bytes",
     [](GraphBuilder& g, const Inputs&) {
       const TensorRef any = g.call("any", "aten.any.dim", {large_bytes(g), 0}, {}, DType::kUint8);
       return relu(g, as_fractions(g, any));
     },
     [](GraphBuilder& g, const Inputs&) {
       return relu(g, g.call("one", "aten.ones.default", {Argument(std::vector<Argument>{})}, {}));
     },
     [](GraphBuilder& g, const Inputs&) {
       return relu(g,
                   g.call("none", "aten.zeros.default", {Argument(std::vector<Argument>{})}, {}));
     }},
    {"counting_beyond_doubles",
     [](GraphBuilder& g, const Inputs& in) {
       constexpr int64_t kStart = int64_t{1} << 62;
       const TensorRef numbers = g.call("n", "aten.arange.start_step",
                                        {kStart, kStart - 4, int64_t{-1}}, {4}, DType::kInt64);
       const TensorRef large =
           g.call("l", "aten.lt.Scalar", {numbers, kStart - 2}, {4}, DType::kBool);
       return relu(g, g.call("m", "aten.mul.Tensor", {in.w, large}, {4}));
     },
     nullptr, [](GraphBuilder& g, const Inputs& in) { return relu(g, in.w); }},
};

class DeclaredMeaning : public testing::TestWithParam<Meaning> {};

TEST_P(DeclaredMeaning, IsWhatIsProved) {
  const Meaning& meaning = GetParam();
  EXPECT_TRUE(is_proved(meaning.program, meaning.program));
  if (meaning.right) {
    EXPECT_TRUE(is_proved(meaning.right, meaning.program));
  }
  EXPECT_FALSE(is_proved(meaning.wrong, meaning.program));
}

INSTANTIATE_TEST_SUITE_P(Of, DeclaredMeaning, testing::ValuesIn(kMeanings),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace assay::test
