// Which of PyTorch's operators a capture records, as it records them and where their shapes come
// from: the table that `assay ops --coverage` counts (shared_ir/operator_table/captured.txt).
// ASSAY_REGENERATE=1 writes it.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_like.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "dynamic_check/kernels/boxed_call.h"
#include "shared_ir/capture/capture.h"
#include "shared_ir/capture/record/recording.h"
#include "shared_ir/capture/same_program.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/capture/torch/shape_functions.h"
#include "shared_ir/operator_table/captured_operators.h"
#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/operator_table/schema.h"
#include "tests/declarations/call_pattern.h"
#include "tests/declarations/call_table.h"
#include "tests/declarations/elements.h"

namespace assay::test {
namespace {

// Calls of operators that are not declared, or declared for lists of anything.
const std::map<std::string, std::vector<std::string>> kOtherCalls = {
    {"aten._amp_foreach_non_finite_check_and_unscale_.default", {"[f[a,b], f[c]], f[1], f[1]"}},
    {"aten._fft_r2c.default", {"f[a,8], [1], 0, true"}},
    {"aten._foreach_add.List", {"[f[a,b], f[c]], [f[a,b], f[c]]"}},
    {"aten._foreach_mul.List", {"[f[a,b], f[c]], [f[a,b], f[c]]"}},
    {"aten._grouped_mm.default", {"bfloat16[2,4,8], bfloat16[2,8,16]"}},
    {"aten._local_scalar_dense.default", {"f[]"}},
    {"aten.argsort.default", {"f[a,b], 1"}},
    {"aten.as_strided.default", {"f[4,3], [2,2], [1,2]"}},
    {"aten.atan2.out", {"f[a,b], f[a,b], out=f[a,b]"}},
    {"aten.batch_norm.default", {"f[4,3], f[3], f[3], none, none, true, 0.1, 1e-5, false"}},
    {"aten.bincount.default", {"i[a]:below(4)"}},
    {"aten.cosine_similarity.default", {"f[a,b], f[a,b], 1"}},
    {"aten.diff.default", {"f[a,5]"}},
    {"aten.embedding_bag.default", {"f[5,b], i[4]:below(5), i[1]:below(1)"}},
    {"aten.equal.default", {"f[a], f[a]"}},
    {"aten.gcd.default", {"i[a], i[a]"}},
    {"aten.grid_sampler_2d.default", {"f[2,3,4,5], f[2,b,c,2]:unit, 0, 0, false"}},
    {"aten.group_norm.default", {"f[2,4,a], 2"}},
    {"aten.kl_div.default", {"f[a,b], f[a,b]:unit"}},
    {"aten.lcm.default", {"i[a], i[a]"}},
    {"aten.linalg_inv.default", {"f[4,4]"}},
    {"aten.max_pool2d.default", {"f[1,2,6,6], [2,2]"}},
    {"aten.meshgrid.indexing", {"[f[a], f[b]], indexing=\"ij\""}},
    {"aten.multinomial.default", {"f[a,b]:positive, 1"}},
    {"aten.normal_.default", {"f[a,b]"}},
    {"aten.polar.default", {"f[a], f[a]"}},
    {"aten.quantile.scalar", {"f[a,5], 0.5, 1"}},
    {"aten.resize_.default", {"f[2,3], [6]"}},
    {"aten.stft.default", {"f[16], 4, none, none, none, false, true, true"}},
    {"aten.sym_is_contiguous.default", {"f[a,b]"}},
    {"aten.sym_numel.default", {"f[a,b]"}},
    {"aten.sym_size.int", {"f[a,b], 0"}},
    {"aten.sym_storage_offset.default", {"f[a,b]"}},
    {"aten.sym_stride.int", {"f[a,b], 0"}},
    {"aten.tile.default", {"f[a,b], [2,1]"}},
    {"aten.unique_consecutive.default", {"f[5]:grid"}},
    {"aten.upsample_bicubic2d.default", {"f[1,2,4,4], [6,6], false"}},
    {"aten.view_as_complex.default", {"f[a,2]"}},
    {"aten.vstack.default", {"[f[a,b], f[c,b]]"}},
};

// Of which there are no calls here.
const std::map<std::string, std::string> kWithoutCalls = {
    {"aten._fft_c2r.default", "complex numbers"},
    {"aten.view_as_real.default", "complex numbers"},
};

// Calls that a capture refuses, or records otherwise, though others of the operator are captured.
const std::set<std::string> kNotAllCalls = {
    "aten.cross_entropy_loss.default",  // with weights and smoothing: other parts on values
    "aten.index.Tensor",                // by a mask: the shape depends on values
    "aten.one_hot.default",             // of as many classes as there are
    "aten.where.self",                  // the table's numbers, not a program's
};

using Values = std::map<std::string, at::Tensor>;

void run_call(const DrawnCall& call, const std::function<at::Tensor(const std::string&)>& input) {
  run_operator(
      call.graph, call.kernel,
      [&](TensorId id) { return input(call.graph.tensors[static_cast<size_t>(id)].name); },
      Arithmetic::kAsRecorded);
}

Values values_of_call(const DrawnCall& call) {
  Values values;
  for (const TensorId id : call.graph.inputs) {
    const Tensor& tensor = call.graph.tensors[static_cast<size_t>(id)];
    values[tensor.name] = tensor_of(tensor, call.values[static_cast<size_t>(id)]);
    if (is_floating(tensor.dtype))
      values[tensor.name] = values[tensor.name].to(to_scalar_type(tensor.dtype));
  }
  return values;
}

bool runs_on_meta(const DrawnCall& call, const Values& values) {
  try {
    run_call(call, [&](const std::string& name) {
      return at::empty_like(values.at(name), at::TensorOptions().device(at::kMeta));
    });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

c10::OperatorName name_of(const std::string& op) {
  const size_t first = op.find('.'), last = op.rfind('.');
  const std::string overload = op.substr(last + 1);
  return {op.substr(0, first) + "::" + op.substr(first + 1, last - first - 1),
          overload == "default" ? "" : overload};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// How the capture records the call; nullopt where the kernel refuses it.
std::optional<std::string> capture_of(const std::string& op, const DrawnCall& call) {
  const Values values = values_of_call(call);
  Graph run;
  bool runs = true;
  try {
    // Operators may write what they are given.
    run_call(call, [&](const std::string& name) { return values.at(name).clone(); });
  } catch (const std::exception&) {
    runs = false;
  }
  if (!runs) return std::nullopt;
  CaptureSpec inputs;
  for (const TensorId id : call.graph.inputs) {
    const Tensor& tensor = call.graph.tensors[static_cast<size_t>(id)];
    inputs.push_back({tensor.name, tensor.shape, tensor.dtype});
  }
  Graph captured;
  try {
    captured = capture("captured", inputs, 0, Mesh(), [&](ProgramContext& program) {
      run_call(call, [&](const std::string& name) { return program.input(name); });
    });
    Recording recording("run");
    for (const CaptureInput& input : inputs) recording.input(input.name, values.at(input.name));
    run_call(call, [&](const std::string& name) { return values.at(name); });
    run = recording.finish();
    check_same_program(captured, run);
  } catch (const UserError& error) {
    std::string why = first_line(error.what());
    const size_t about = why.find("cannot be captured: ");
    if (about != std::string::npos) why = why.substr(about + 20);
    if (why.find("Complex") != std::string::npos) why = "complex numbers";
    if (why.find("item()") != std::string::npos) why = "the value of a tensor becomes a number";
    if (why.find("the run is not what") != std::string::npos)
      why = "it is made of other operators on real tensors";
    return "refused " + why;
  }
  std::set<std::string> parts;
  for (const Node& node : captured.nodes) parts.insert(node.op);
  if (parts.empty()) return "none";
  const bool whole = parts.size() == 1 && (parts.contains(op) || op.ends_with(".out") ||
                                           op.find("_.") != std::string::npos);
  if (!whole) {
    std::string text = "parts";
    for (const std::string& part : parts) text += " " + part;
    return text;
  }
  if (has_shape_function(name_of(op))) return "shapes";
  return runs_on_meta(call, values) ? "meta" : "run";
}

std::map<std::string, std::vector<std::string>> all_calls() {
  std::map<std::string, std::vector<std::string>> calls = kOtherCalls;
  for (const CallTable& table : call_tables())
    for (const CallGroup& group : table.groups)
      for (const std::string& op : group.names) {
        if (!op.starts_with("aten.") || !c10::Dispatcher::singleton().findSchema(name_of(op)))
          continue;
        std::vector<std::string>& all = calls[op];
        all.insert(all.end(), group.calls.begin(), group.calls.end());
        all.insert(all.end(), group.refused.begin(), group.refused.end());
      }
  return calls;
}

// The operator's line: of its first call that is captured, else of its first that is not.
std::string line_of(const std::string& op, const std::vector<std::string>& patterns) {
  std::string found;
  for (const std::string& pattern : patterns) {
    const auto captured = capture_of(op, draw_call(op, pattern, 1));
    if (!captured) continue;
    const bool refused = captured->starts_with("refused");
    if (found.empty() || (found.starts_with("refused") && !refused)) found = *captured;
    if (refused && !kNotAllCalls.contains(op) && !found.starts_with("refused"))
      ADD_FAILURE() << op << "(" << pattern << "): " << *captured;
  }
  return found.empty() ? "" : op + " " + found + "\n";
}

TEST(CapturedOperators, AreThoseOfTheTable) {
  std::string table;
  std::map<std::string, std::string> lines;
  for (const auto& [op, patterns] : all_calls()) lines[op] = line_of(op, patterns);
  for (const auto& [op, why] : kWithoutCalls) lines[op] = op + " refused " + why + "\n";
  for (const auto& [op, line] : lines) table += line;
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "ASSAY_SOURCE_DIR is not set";
  const std::string file = std::string(root) + "/shared_ir/operator_table/captured.txt";
  const char* regenerate = std::getenv("ASSAY_REGENERATE");
  if (regenerate != nullptr && std::string(regenerate) == "1") {
    std::ofstream(file, std::ios::binary) << table;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string expected((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(table, expected) << "if that is intended, run with ASSAY_REGENERATE=1";
}

TEST(CapturedOperators, OfTheCoreAreAllButThoseThatNeedValuesOrComplexNumbers) {
  for (const std::string& op : memory::core_operators()) {
    const auto captured = captured_operator(op);
    ASSERT_TRUE(captured) << op << " has no call here";
    if (captured->recorded) continue;
    EXPECT_TRUE(captured->text == "complex numbers" ||
                captured->text == "the value of a tensor becomes a number" ||
                captured->text == "the shapes of its results depend on values")
        << op << ": " << captured->text;
  }
}

TEST(CapturedOperators, OfModelsHaveCalls) {
  for (const ModelOperator& op : model_operators())
    EXPECT_FALSE(captured_overloads(op.name).empty()) << op.name << " has no call here";
}

}  // namespace
}  // namespace assay::test
