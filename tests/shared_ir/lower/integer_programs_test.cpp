// Functions of integers are lowered to sums of few (lower/build/integers): random programs of them,
// against what they are by definition.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "shared_ir/cast.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/reference.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

using IntegerValues = std::vector<int64_t>;
constexpr int64_t kElements = 256;

int64_t floor_quotient(int64_t x, int64_t y) {
  const int64_t quotient = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}

/// Sums are lowered to sums of integers, which wrap where something reads them.
int64_t held(double value, DType dtype) {
  const auto number = static_cast<int64_t>(value);
  return is_bool(dtype) ? number : cast_integer(number, dtype);
}

/// A program, and its values by definition.
class RandomIntegers {
 public:
  RandomIntegers(DType dtype, uint32_t seed) : dtype_(dtype), random_(seed) {
    input("x", [this](int64_t i) { return byte_size(dtype_) == 1 ? least() + i : drawn(); });
    input("y", [this](int64_t) { return drawn(); });
    for (int i = 0; i < 9; ++i) draw();
  }

  /// The first tensor that is lowered to other values, with the program; empty where none is.
  std::string difference() {
    for (const auto& [tensor, values] : values_) graph_.output(tensor);
    const CoreProgram program = lower(graph_.graph(), {}, 0, OperatorTable::builtin());
    ReferenceSources sources;
    sources.input = [&](Rank, const CoreOp& op) {
      const IntegerValues& of = values_[static_cast<size_t>(op.tensor)].second;
      return ReferenceTensor{{kElements}, {of.begin(), of.end()}};
    };
    const auto lowered = evaluate({program}, sources)[0];
    for (const auto& [tensor, values] : values_) {
      const auto id = static_cast<size_t>(program.value_of[static_cast<size_t>(tensor.id)]);
      for (size_t i = 0; i < values.size(); ++i)
        if (held(lowered[id].values[i], program.ops[id].dtype) != values[i])
          return text_ + "\n" + graph_.name_of(tensor) + " is " + std::to_string(values[i]) +
                 " and not " + std::to_string(lowered[id].values[i]) +
                 " at x = " + std::to_string(values_[0].second[i]) +
                 ", y = " + std::to_string(values_[1].second[i]);
    }
    return "";
  }

 private:
  int64_t least() const { return integer_range(dtype_).first; }
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  // Of int64, so small that nothing wraps, which is assumed.
  int64_t drawn() {
    const auto [low, high] = integer_range(dtype_);
    return dtype_ == DType::kInt64 ? number(-1000, 1000) : number(low, high);
  }

  void input(const std::string& name, const std::function<int64_t(int64_t)>& value) {
    IntegerValues values;
    for (int64_t i = 0; i < kElements; ++i) values.push_back(value(i));
    values_.emplace_back(graph_.input(name, {kElements}, dtype_), values);
  }

  TensorRef add(const std::string& op, std::vector<Argument> arguments, DType dtype,
                const std::string& shown, const std::function<int64_t(size_t)>& value) {
    IntegerValues values;
    for (size_t i = 0; i < kElements; ++i)
      values.push_back(is_bool(dtype) ? value(i) : cast_integer(value(i), dtype));
    const std::string name = "n" + std::to_string(count_++);
    text_ += "\n" + name + " = " + shown;
    const TensorRef result =
        graph_.call(name, "aten." + op, std::move(arguments), {kElements}, dtype);
    values_.emplace_back(result, values);
    return result;
  }

  struct Drawn {
    TensorRef tensor;
    IntegerValues values;
    std::string name;
  };
  Drawn operand() {
    for (;;) {
      const auto& [tensor, values] =
          values_[static_cast<size_t>(number(0, static_cast<int64_t>(values_.size()) - 1))];
      if (!is_bool(graph_.graph().tensors[static_cast<size_t>(tensor.id)].dtype))
        return {tensor, values, graph_.name_of(tensor)};
    }
  }

  void draw() {
    const Drawn x = operand(), y = operand();
    const auto pair = [&](const char* op, const std::function<int64_t(int64_t, int64_t)>& of) {
      add(op, {x.tensor, y.tensor}, dtype_, std::string(op) + " " + x.name + " " + y.name,
          [&](size_t i) { return of(x.values[i], y.values[i]); });
    };
    const auto with = [&](const char* op, int64_t c,
                          const std::function<int64_t(int64_t, int64_t)>& of) {
      add(op, {x.tensor, c}, dtype_, std::string(op) + " " + x.name + " " + std::to_string(c),
          [&](size_t i) { return of(x.values[i], c); });
    };
    const auto alone = [&](const char* op, const std::function<int64_t(int64_t)>& of) {
      add(op, {x.tensor}, dtype_, std::string(op) + " " + x.name,
          [&](size_t i) { return of(x.values[i]); });
    };
    const auto compared = [&](const char* op, int64_t c, const std::function<bool(int64_t)>& of) {
      const TensorRef flag = add(op, {x.tensor, c}, DType::kBool,
                                 std::string(op) + " " + x.name + " " + std::to_string(c),
                                 [&](size_t i) { return of(x.values[i]); });
      const IntegerValues flags = values_.back().second;
      if (number(0, 1) == 0)
        add("_to_copy.default", {flag}, dtype_, "cast", [&](size_t i) { return flags[i]; }),
            graph_.keyword("dtype", dtype_);
      else
        add("where.self", {flag, x.tensor, y.tensor}, dtype_, "where " + x.name + " " + y.name,
            [&](size_t i) { return flags[i] != 0 ? x.values[i] : y.values[i]; });
    };
    const int64_t bits =
        8 * static_cast<int64_t>(byte_size(dtype_)) - (is_unsigned(dtype_) ? 0 : 1);
    const int64_t small = number(1, 3), shift = number(0, std::min<int64_t>(bits, 6));
    const int64_t divisors[] = {2, 3, 4, 5, 7, 8, 12, 16};
    const int64_t divisor = divisors[number(0, 7)];
    const int64_t masks[] = {1, 3, 7, 15, 8, 12, 5, 6, 9, 31, 32, 48};
    int64_t mask = masks[number(0, 11)];
    if (!is_unsigned(dtype_) && number(0, 4) == 0) mask = ~mask;
    const int64_t limit = number(0, 17);
    using I = int64_t;
    switch (number(0, 23)) {
      case 0:
        return pair("add.Tensor", [](I a, I b) { return a + b; });
      case 1:
        return pair("sub.Tensor", [](I a, I b) { return a - b; });
      case 2:
        return pair("bitwise_and.Tensor", [](I a, I b) { return a & b; });
      case 3:
        return pair("bitwise_or.Tensor", [](I a, I b) { return a | b; });
      case 4:
        return pair("bitwise_xor.Tensor", [](I a, I b) { return a ^ b; });
      case 5:
        return with("add.Tensor", small, [](I a, I b) { return a + b; });
      case 6:
        return with("sub.Tensor", small, [](I a, I b) { return a - b; });
      case 7:
        return with("mul.Tensor", small + 1, [](I a, I b) { return a * b; });
      case 8:
      case 9:
        return with("bitwise_and.Scalar", mask, [](I a, I b) { return a & b; });
      case 10:
        return with("bitwise_or.Scalar", mask, [](I a, I b) { return a | b; });
      case 11:
        return with("bitwise_xor.Scalar", mask, [](I a, I b) { return a ^ b; });
      case 12:
      case 13:
        return with("__rshift__.Scalar", shift, [](I a, I b) { return a >> b; });
      case 14:
        if (shift >= bits || dtype_ == DType::kInt64) return;
        return with("__lshift__.Scalar", shift, [](I a, I b) { return a * (I{1} << b); });
      case 15:
      case 16:
        return with("floor_divide.default", divisor, floor_quotient);
      case 17:
      case 18:
        return with("remainder.Scalar", divisor,
                    [](I a, I b) { return a - b * floor_quotient(a, b); });
      case 19:
        return with("fmod.Scalar", divisor, [](I a, I b) { return a % b; });
      case 20:
        return alone("bitwise_not.default", [](I a) { return ~a; });
      case 21:
        return alone("neg.default", [](I a) { return -a; });
      case 22:
        if (number(0, 1) == 0) return alone("abs.default", [](I a) { return a < 0 ? -a : a; });
        return alone("sign.default", [](I a) { return I{a > 0} - I{a < 0}; });
      default:
        switch (number(0, 3)) {
          case 0:
            return compared("ge.Scalar", limit, [=](I a) { return a >= limit; });
          case 1:
            return compared("lt.Scalar", limit, [=](I a) { return a < limit; });
          case 2:
            return compared("eq.Scalar", limit, [=](I a) { return a == limit; });
          default:
            return compared("ne.Scalar", limit, [=](I a) { return a != limit; });
        }
    }
  }

  DType dtype_;
  std::mt19937 random_;
  GraphBuilder graph_{"drawn"};
  std::vector<std::pair<TensorRef, IntegerValues>> values_;
  std::string text_;
  int count_ = 0;
};

TEST(IntegerPrograms, AreWhatTheyAreByDefinition) {
  constexpr uint32_t kPrograms = 1500;
  for (const DType dtype :
       {DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32, DType::kInt64})
    for (uint32_t seed = 0; seed < kPrograms; ++seed)
      ASSERT_EQ(RandomIntegers(dtype, seed).difference(), "")
          << to_string(dtype) << ", seed " << seed;
}

}  // namespace
}  // namespace assay::test
