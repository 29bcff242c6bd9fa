#include "tests/differential/program.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/import/fx_json/fx_json.h"
#include "shared_ir/lower/lower.h"
#include "tests/differential/program_run.h"
#include "tests/differential/schema_call.h"

namespace assay::test {
namespace {

constexpr int kAttempts = 60;          // at one call
constexpr double kLargestValue = 1e6;  // products of a few integers stay exact in float64
constexpr int64_t kMostElements = 256;

// Small, finite, exact. float32 is what PyTorch makes of integers where fractions are asked for,
// whatever the program's floating types are; single calls are compared with these.
bool is_comparable(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.is_quantized() ||
      tensor.numel() > kMostElements || tensor.dim() > 4)
    return false;
  if (!at::isIntegralType(tensor.scalar_type(), true) && tensor.scalar_type() != at::kDouble)
    return false;
  const at::Tensor flat = tensor.to(at::kDouble).contiguous();
  const double* first = flat.const_data_ptr<double>();
  return std::all_of(first, first + flat.numel(), [&](double value) {
    return std::isfinite(value) && std::abs(value) <= kLargestValue;
  });
}

void collect(std::vector<TensorArg*>& into, Arg& arg) {
  if (auto* tensor = std::get_if<TensorArg>(&arg.value)) into.push_back(tensor);
  if (auto* list = std::get_if<ArgList>(&arg.value))
    for (Arg& element : *list) collect(into, element);
}

// float32 is what PyTorch computes in where integers alone are told to become floating results.
bool computes_in_float32(const Node& node, const Graph& graph,
                         const std::vector<at::Tensor>& results) {
  const auto counts = [&](TensorId id) { return !is_floating(graph.tensors[index(id)].dtype); };
  return node.op.ends_with("out") && !results.empty() && results[0].is_floating_point() &&
         std::ranges::any_of(operands_of(node), counts);
}

class ProgramDrawing {
 public:
  ProgramDrawing(const ProgramOperators& operators, uint64_t seed)
      : operators_(operators), random_(seed), strides_(below(2) == 0) {
    program_.graph.name = "program";
  }

  DrawnProgram run() {
    for (int64_t calls = 2 + below(7); calls > 0; --calls) {
      for (int attempt = 0; attempt < kAttempts && !add_call(); ++attempt) {
      }
    }
    choose_outputs();
    for (size_t id = 0; id < program_.graph.tensors.size(); ++id)
      program_.graph.by_name[program_.graph.tensors[id].name] = static_cast<TensorId>(id);
    return std::move(program_);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  const std::string& one_of(const std::vector<std::string>& names) {
    return names[index(below(std::ssize(names)))];
  }

  const std::string& draw_operator() {
    const int64_t kind = below(10);
    if (kind < 4) return one_of(operators_.views);
    return kind < 7 ? one_of(operators_.writers) : one_of(operators_.pure);
  }

  // A tensor that is there; later ones more often.
  TensorId existing() {
    const int64_t count = std::ssize(pool_);
    return pool_[index(count - 1 - std::min(below(count), below(count)))];
  }

  bool add_call() {
    const std::string op = draw_operator();
    const bool follows = !pool_.empty() && below(8) != 0;
    const TensorId first = follows ? existing() : kNone;
    const Graph before = program_.graph;
    const size_t values = program_.values.size(), pool = pool_.size();
    try {
      DrawnCall call = draw_from_schema(op, random_(),
                                        follows ? &program_.graph.tensors[index(first)] : nullptr);
      substitute(call, first);
      if (append(std::move(call.kernel))) return true;
    } catch (const std::exception&) {  // PyTorch does not take the call
    }
    program_.graph = before;
    program_.values.resize(values);
    pool_.resize(pool);
    live_ = run_whole(program_, {});  // the call may have written
    return false;
  }

  // The call's operands become tensors of the program, those that are there or new inputs. Operands
  // that are called indices stay inputs: they must lie within others.
  void substitute(DrawnCall& call, TensorId first) {
    std::vector<TensorId> becomes(call.graph.tensors.size(), kNone);
    for (size_t i = 0; i < becomes.size(); ++i) {
      const Tensor& drawn = call.graph.tensors[i];
      const bool is_index = index_operands(call).contains(static_cast<TensorId>(i));
      if (i == 0 && first != kNone && !is_index) {
        becomes[i] = first;
      } else if (!is_index && below(3) != 0) {
        becomes[i] = alike(drawn);
      }
      if (becomes[i] == kNone) becomes[i] = add_input(drawn, call.values[i], is_index);
    }
    for (TensorArg* operand : operands(call.kernel)) operand->id = becomes[index(operand->id)];
  }

  static std::set<TensorId> index_operands(const DrawnCall& call) {
    std::set<TensorId> found;
    for (size_t i = 0; i < call.graph.tensors.size(); ++i)
      if (call.is_index.at(i)) found.insert(static_cast<TensorId>(i));
    return found;
  }

  TensorId alike(const Tensor& drawn) {
    for (int attempt = 0; attempt < 6; ++attempt) {
      if (pool_.empty()) break;
      const TensorId found = existing();
      const Tensor& tensor = program_.graph.tensors[index(found)];
      if (tensor.shape == drawn.shape && is_floating(tensor.dtype) == is_floating(drawn.dtype))
        return found;
    }
    return kNone;
  }

  TensorId add_input(const Tensor& drawn, const ReferenceTensor& value, bool is_index) {
    Graph& graph = program_.graph;
    const auto id = static_cast<TensorId>(graph.tensors.size());
    Tensor input = drawn;
    input.name = "t" + std::to_string(id);
    if (strides_) input.strides = strides_in(input.shape);
    graph.tensors.push_back(input);
    graph.inputs.push_back(id);
    program_.values.push_back(value);
    live_.push_back(placed(input, value));
    if (!is_index) pool_.push_back(id);
    return id;
  }

  // Of a tensor without gaps, its dimensions in a random order.
  std::vector<int64_t> strides_in(const Shape& shape) {
    std::vector<size_t> order(shape.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = order.size() - 1 - d;
    if (below(3) == 0) std::ranges::shuffle(order, random_);
    std::vector<int64_t> strides(shape.size());
    int64_t step = 1;
    for (const size_t d : order) {
      strides[d] = step;
      step *= std::max<int64_t>(1, shape[d]);
    }
    return strides;
  }

  bool append(Node node) {
    Graph& graph = program_.graph;
    const std::vector<at::Tensor> results = run_next(graph, node, live_);
    if (!std::ranges::all_of(results, is_comparable) ||
        !std::ranges::all_of(live_, is_comparable) ||
        (!results.empty() && makes_no_view(node, results[0])) ||
        computes_in_float32(node, graph, results))
      return false;
    // Results that are told to go where they do not fit are refused: few of these.
    const auto keeps_its_shape = [&](TensorId id) {
      return live_[index(id)].sizes() == at::IntArrayRef(graph.tensors[index(id)].shape);
    };
    if (!std::ranges::all_of(operands_of(node), keeps_its_shape) && below(10) != 0) return false;
    const auto producer = static_cast<NodeId>(graph.nodes.size());
    node.source = {"program.py", producer + 1};
    for (size_t i = 0; i < results.size(); ++i) {
      const auto id = static_cast<TensorId>(graph.tensors.size());
      const DType dtype = to_dtype(results[i].scalar_type());
      Tensor made{"t" + std::to_string(id), dtype == DType::kFloat64 ? DType::kFloat32 : dtype,
                  results[i].sizes().vec(), producer, static_cast<int32_t>(i)};
      if (strides_) made.strides = results[i].strides().vec();
      graph.tensors.push_back(std::move(made));
      node.outputs.push_back(id);
      live_.push_back(results[i]);
      pool_.push_back(id);
    }
    graph.nodes.push_back(std::move(node));
    // What is refused hides whatever follows: few of these.
    return below(50) == 0 || !is_refused();
  }

  bool is_input(TensorId id) const { return program_.graph.tensors[index(id)].producer == kNone; }

  // The interpreter copies where a view of that shape is impossible, PyTorch throws.
  bool makes_no_view(const Node& node, const at::Tensor& result) const {
    return node.op.starts_with("aten.view.") &&
           !result.is_alias_of(live_[index(operands_of(node)[0])]);
  }

  bool is_refused() {
    try {
      return !lower(program_.graph, {}, 0, operators_.declared).opaque.empty();
    } catch (const UserError&) {
      return true;
    }
  }

  void choose_outputs() {
    std::set<TensorId> chosen;
    for (int64_t count = 1 + below(4); count > 0 && !pool_.empty(); --count)
      if (const TensorId one = existing(); !is_input(one) || below(20) == 0) chosen.insert(one);
    if (chosen.empty()) chosen.insert(static_cast<TensorId>(live_.size()) - 1);
    program_.graph.outputs.assign(chosen.begin(), chosen.end());
  }

  const ProgramOperators& operators_;
  std::mt19937_64 random_;
  bool strides_;
  DrawnProgram program_;
  std::vector<at::Tensor> live_;  // per tensor of the graph
  std::vector<TensorId> pool_;    // tensors that calls may take
};

}  // namespace

std::vector<TensorArg*> operands(Node& node) {
  std::vector<TensorArg*> found;
  for (Arg& arg : node.args) collect(found, arg);
  for (auto& [name, arg] : node.kwargs) collect(found, arg);
  return found;
}

DrawnProgram draw_program(const ProgramOperators& operators, uint64_t seed) {
  return ProgramDrawing(operators, seed).run();
}

std::string text_of(const DrawnProgram& program) {
  std::string text = to_fx_json(program.graph, 0);
  for (size_t i = 0; i < program.values.size(); ++i) {
    text += "\n" + program.graph.tensors[index(program.graph.inputs[i])].name + " =";
    for (const double value : program.values[i].values) text += " " + std::to_string(value);
  }
  return text;
}

}  // namespace assay::test
