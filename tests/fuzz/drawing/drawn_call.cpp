#include "tests/fuzz/drawing/drawn_call.h"

#include <array>
#include <limits>

#include "shared_ir/lower/declare/declaration.h"

namespace assay::fuzz {
namespace {

constexpr std::array<int64_t, 16> kSizes = {
    4, 6, 1, 0, 2, 3, 5, 8, 12, 24, 16, 64, 1 << 20, int64_t{1} << 31, int64_t{1} << 40, 7};
constexpr std::array<int64_t, 16> kIntegers = {0,
                                               1,
                                               2,
                                               3,
                                               4,
                                               6,
                                               -1,
                                               -2,
                                               -3,
                                               12,
                                               24,
                                               int64_t{1} << 31,
                                               64,
                                               -7,
                                               std::numeric_limits<int64_t>::max(),
                                               std::numeric_limits<int64_t>::min()};
constexpr std::array<double, 8> kNumbers = {0.5,
                                            1,
                                            0,
                                            -2,
                                            1e-5,
                                            1e300,
                                            std::numeric_limits<double>::infinity(),
                                            std::numeric_limits<double>::quiet_NaN()};
constexpr std::array<std::string_view, 8> kTexts = {"tp",  "sum",       "mean",  "none",
                                                    "avg", "ab,bc->ac", "floor", ""};

class Drawing {
 public:
  explicit Drawing(std::string_view bytes) : bytes_(bytes) {}

  Graph call(const OperatorTable& operators) {
    static const std::vector<std::string> names = operators.names();
    const size_t high = byte();
    const std::string& op = names[(high * 256 + byte()) % names.size()];
    graph_.name = "drawn";
    Node node;
    node.op = op;
    node.source = {"model.py", 1, 0};
    bool positional = true;
    for (const auto& parameter : operators.find(op)->parameters) {
      Arg arg;
      const bool given = argument(&arg);
      positional = positional && given;
      if (positional) {
        node.args.push_back(std::move(arg));
      } else if (given) {
        node.kwargs.emplace_back(parameter.name, std::move(arg));
      }
    }
    const size_t results = 1 + byte() % 3;
    for (size_t i = 0; i < results; ++i) node.outputs.push_back(tensor(0, static_cast<int>(i)));
    graph_.nodes.push_back(std::move(node));
    return std::move(graph_);
  }

 private:
  size_t byte() {
    if (at_ == bytes_.size()) return 0;
    return static_cast<unsigned char>(bytes_[at_++]);
  }

  template <class Table>
  auto one_of(const Table& table) {
    return table[byte() % table.size()];
  }

  TensorId tensor(NodeId producer, int32_t output) {
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    Tensor result;
    result.name = "t" + std::to_string(id);
    result.dtype = static_cast<DType>(byte() % (static_cast<size_t>(DType::kFloat64) + 1));
    result.producer = producer;
    result.output = output;
    for (size_t dims = byte() % 6; dims > 0; --dims) {
      result.shape.push_back(one_of(kSizes));
      if (!element_count_fits(result.shape)) result.shape.back() = 1;
    }
    graph_.by_name.emplace(result.name, id);
    graph_.tensors.push_back(std::move(result));
    if (producer == kNone) graph_.inputs.push_back(id);
    return id;
  }

  template <class Make>
  ArgList list(Make make) {
    ArgList result;
    for (size_t count = byte() % 5; count > 0; --count) result.emplace_back().value = make();
    return result;
  }

  // Returns whether the argument is given.
  bool argument(Arg* arg) {
    switch (byte() % 10) {
      case 0:
        arg->value = TensorArg{tensor(kNone, 0)};
        return true;
      case 1:
        arg->value = one_of(kIntegers);
        return true;
      case 2:
        arg->value = list([this] { return one_of(kIntegers); });
        return true;
      case 3:
        arg->value = list([this] { return TensorArg{tensor(kNone, 0)}; });
        return true;
      case 4:
        arg->value = one_of(kNumbers);
        return true;
      case 5:
        arg->value = byte() % 2 == 1;
        return true;
      case 6:
        arg->value = static_cast<DType>(byte() % (static_cast<size_t>(DType::kFloat64) + 1));
        return true;
      case 7:
        arg->value = std::string(one_of(kTexts));
        return true;
      case 8:
        arg->value = NoArg{};
        return true;
      default:
        return false;
    }
  }

  std::string_view bytes_;
  size_t at_ = 0;
  Graph graph_;
};

}  // namespace

Graph drawn_call(std::string_view bytes, const OperatorTable& operators) {
  return Drawing(bytes).call(operators);
}

}  // namespace assay::fuzz
