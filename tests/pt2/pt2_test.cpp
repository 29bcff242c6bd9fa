// Programs that torch.export.save wrote (make_archives.py), imported and proved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>

#include "shared_ir/import/pt2/pt2.h"
#include "shared_ir/zip/zip_reader.h"
#include "shared_ir/zip/zip_writer.h"
#include "static_check/check.h"
#include "tests/support/claims/expect_claims_hold.h"
#include "tests/support/scratch_folder.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

fs::path archives() {
  const char* source = std::getenv("ASSAY_SOURCE_DIR");
  return fs::path(source ? source : ".") / "tests/pt2/archives";
}

std::string error_of(const fs::path& archive) {
  try {
    import_pt2(archive);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string error_of_bytes(const std::string& bytes) {
  try {
    parse_pt2(bytes, "program.pt2");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

const Node& node_of(const Graph& graph, const std::string& op) {
  for (const Node& node : graph.nodes) {
    if (node.op == op) return node;
  }
  throw InternalError("no node of " + op);
}

void expect_proved(const fs::path& folder) {
  const Case refinement = load_case(folder);
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kProved)
      << to_text({refinement.name, result.report.verdict, 1, result.report, {}, {}, {}});
  EXPECT_GT(result.replayed, 0);
  expect_claims_hold(refinement, result, 1);
}

TEST(Pt2, ReadsOperatorsArgumentsAndPlaces) {
  const Graph graph = import_pt2(archives() / "rank0.pt2");
  const Node& reduced = node_of(graph, "_c10d_functional.all_reduce.default");
  ASSERT_EQ(reduced.args.size(), 3u);
  EXPECT_EQ(std::get<std::string>(reduced.args[1].value), "sum");
  EXPECT_EQ(std::get<std::string>(reduced.args[2].value), "tp");
  EXPECT_EQ(reduced.source.file, "make_archives.py");
  EXPECT_GT(reduced.source.line, 0);
  const Node& split = node_of(graph, "aten.split_with_sizes.default");
  EXPECT_EQ(split.outputs.size(), 2u);
  EXPECT_EQ(node_of(graph, "aten.gelu.default").kwargs.at(0).first, "approximate");
  EXPECT_EQ(graph.outputs.size(), 2u);
}

TEST(Pt2, InputsHaveTheNamesOfTheGraphAndOfTheModule) {
  const Graph graph = import_pt2(archives() / "rank1.pt2");
  const TensorId weight = graph.find("p_up_weight");
  ASSERT_NE(weight, kNone);
  EXPECT_EQ(graph.find("up.weight"), weight);
  EXPECT_NE(graph.find("scale"), kNone);
  const Tensor& tensor = graph.tensors[static_cast<size_t>(weight)];
  EXPECT_THAT(tensor.shape, ElementsAre(4, 6));
  EXPECT_EQ(tensor.dtype, DType::kFloat32);
  EXPECT_EQ(tensor.producer, kNone);
}

TEST(Pt2, ExportedRanksRefineTheSequentialProgram) { expect_proved(archives()); }

TEST(Pt2, ARankThatForgetsItsReductionIsNotProved) {
  Case refinement = load_case(archives());
  for (Graph& graph : refinement.ranks) {
    for (Node& node : graph.nodes) {
      if (node.op != "_c10d_functional.all_reduce.default") continue;
      node.op = "aten.clone.default";
      node.args.resize(1);
    }
  }
  EXPECT_NE(static_check(refinement, OperatorTable::builtin()).report.verdict, Verdict::kProved);
}

const ArgList& rows_of(const Graph& graph, const std::string& constant) {
  const TensorId id = graph.find(constant);
  const Node& node =
      graph.nodes.at(static_cast<size_t>(graph.tensors.at(static_cast<size_t>(id)).producer));
  EXPECT_EQ(node.op, kConstantOp);
  return std::get<ArgList>(node.args.at(0).value);
}

// By the layout that it has, and by its type.
TEST(Pt2, ReadsTheConstantsThatAProgramHolds) {
  const Graph graph = import_pt2(archives() / "tables/rank1.pt2");
  EXPECT_TRUE(graph.unread_constants.empty());
  EXPECT_EQ(graph.inputs.size(), 1u);
  const ArgList& scales = rows_of(graph, "c_scales");
  ASSERT_EQ(scales.size(), 2u);
  const auto& second = std::get<ArgList>(scales[1].value);
  ASSERT_EQ(second.size(), 6u);
  EXPECT_FLOAT_EQ(static_cast<float>(std::get<double>(second[2].value)), 1.1f);
  const auto& mask = std::get<ArgList>(rows_of(graph, "c_mask")[0].value);
  EXPECT_FALSE(std::get<bool>(mask.at(1).value));
  EXPECT_TRUE(std::get<bool>(mask.at(2).value));
  const ArgList& shifts = rows_of(graph, "c_shifts");
  EXPECT_EQ(std::get<double>(shifts.at(0).value), 3.5);
  EXPECT_EQ(std::get<double>(shifts.at(1).value), std::numeric_limits<double>::infinity());
}

TEST(Pt2, ConstantsOfRanksArePartsOfTheSequentialOnes) { expect_proved(archives() / "tables"); }

TEST(Pt2, ARankWithAnotherConstantIsNotProved) {
  Case refinement = load_case(archives() / "tables");
  for (Node& node : refinement.ranks[1].nodes) {
    if (node.op != kConstantOp) continue;
    auto& row = std::get<ArgList>(std::get<ArgList>(node.args[0].value).at(0).value);
    row.at(1) = Arg{true};
    break;
  }
  EXPECT_NE(static_check(refinement, OperatorTable::builtin()).report.verdict, Verdict::kProved);
}

// The archive with `text` of one of its entries replaced.
fs::path with_replaced(const fs::path& archive, const std::string& text,
                       const std::string& replacement, const ScratchFolder& folder) {
  const fs::path file = folder.path() / "changed.pt2";
  ZipWriter writer(file);
  std::ifstream stream(archive, std::ios::binary);
  auto zip = ZipReader::open(stream);
  size_t replaced = 0;
  const std::vector<ZipEntry> entries = zip->entries().value();
  for (const ZipEntry& entry : entries) {
    std::string bytes(entry.size, '\0');
    EXPECT_TRUE(zip->read(entry, std::as_writable_bytes(std::span(bytes))));
    if (const size_t at = bytes.find(text); at != std::string::npos) {
      bytes.replace(at, text.size(), replacement);
      ++replaced;
    }
    writer.add(entry.name, std::as_bytes(std::span(bytes)));
  }
  writer.finish();
  EXPECT_EQ(replaced, 1u);
  return file;
}

// Where the data lie elsewhere than the table says, nothing is guessed.
TEST(Pt2, ComplexConstantsAreTheirParts) {
  const Graph graph = import_pt2(archives() / "complex/rank1.pt2");
  const Node& constant = node_of(graph, std::string(kConstantOp));
  EXPECT_THAT(graph.tensors[static_cast<size_t>(constant.outputs[0])].shape, ElementsAre(2, 3, 2));
  const auto& rows = std::get<ArgList>(constant.args.at(0).value);
  const auto& number = std::get<ArgList>(std::get<ArgList>(rows.at(0).value).at(0).value);
  EXPECT_NEAR(std::get<double>(number.at(0).value), std::cos(2.0), 1e-6);
  EXPECT_NEAR(std::get<double>(number.at(1).value), std::sin(2.0), 1e-6);
}

TEST(Pt2, RotationsByComplexNumbersAreThoseByRealOnes) { expect_proved(archives() / "complex"); }

TEST(Pt2, RefusesConstantsThatLieOutsideOfTheirData) {
  const ScratchFolder folder;
  const fs::path archive = archives() / "tables/rank0.pt2";
  const std::string before =
      "\"tensor_1\", \"is_param\": false, \"use_pickle\": false, \"tensor_meta\": {\"dtype\": 7, "
      "\"sizes\": [{\"as_int\": 2}, {\"as_int\": 6}], \"requires_grad\": false, "
      "\"device\": {\"type\": \"cpu\", \"index\": null}, \"strides\": ";
  const std::string strides = before + "[{\"as_int\": 1}, {\"as_int\": 4}]";
  EXPECT_EQ(error_of(with_replaced(archive, strides, strides, folder)), "accepted");
  for (const std::string bad :
       {"[{\"as_int\": 1}, {\"as_int\": 9}]", "[{\"as_int\": 1}, {\"as_int\": -4}]"}) {
    EXPECT_THAT(error_of(with_replaced(archive, strides, before + bad, folder)),
                HasSubstr("constant 'scales' lies outside of its data"));
  }
  EXPECT_THAT(error_of(with_replaced(archive, strides, before + "[{\"as_int\": 1}]", folder)),
              HasSubstr("constant 'scales' has no sizes, strides or storage_offset"));
  EXPECT_THAT(
      error_of(with_replaced(archive, "{\"config\": {\"mask", "{\"tables\": {\"mask", folder)),
      HasSubstr("is no table of constants"));
}

TEST(Pt2, AConstantWhoseDataIsNotThereIsAnInputThatTheReportLists) {
  const ScratchFolder folder;
  const fs::path archive = archives() / "tables/rank0.pt2";
  const std::string path = "\"path_name\": \"tensor_0\"";
  const Graph graph =
      import_pt2(with_replaced(archive, path, "\"path_name\": \"tensor_77\"", folder));
  EXPECT_EQ(graph.unread_constants.size(), 1u);
  EXPECT_EQ(graph.inputs.size(), 2u);
}

TEST(Pt2, RefusesWhatNoGraphSays) {
  EXPECT_THAT(error_of(archives() / "symbolic.pt2"), HasSubstr("without dynamic_shapes"));
  EXPECT_THAT(error_of(archives() / "written.pt2"),
              HasSubstr("node 'mul_' writes into its argument (aten.mul_.Tensor)"));
  EXPECT_THAT(error_of(archives() / "choice.pt2"), HasSubstr("higher_order.cond"));
  EXPECT_THAT(error_of(archives() / "none.pt2"), HasSubstr("cannot read this file"));
}

TEST(Pt2, RefusesWhatIsNoArchive) {
  EXPECT_THAT(error_of_bytes(""), HasSubstr("program.pt2: this is no zip archive"));
  EXPECT_THAT(error_of_bytes("PK\3\4 and no more"), HasSubstr("this is no zip archive"));
}

TEST(Pt2, RefusesADamagedProgram) {
  const std::string archive = bytes_of(archives() / "sequential.pt2");
  std::string damaged = archive;
  const size_t at = damaged.find("\"graph_module\"");
  ASSERT_NE(at, std::string::npos) << "entries are stored, not compressed";
  damaged[at + 1] = 'G';
  EXPECT_THAT(error_of_bytes(damaged), HasSubstr("the archive is damaged"));
  EXPECT_NE(error_of_bytes(archive.substr(0, archive.size() / 2)), "accepted");
}

#ifdef ASSAY_PT2_PYTHON
// The same with archives that the installed torch writes now.
TEST(Pt2, ReadsWhatTheInstalledTorchWrites) {
  const ScratchFolder folder;
  const std::string command = std::string(ASSAY_PT2_PYTHON) + " " +
                              (archives().parent_path() / "make_archives.py").string() + " " +
                              folder.path().string() + " >" + (folder.path() / "log").string() +
                              " 2>&1";
  const int status = std::system(command.c_str());
  const std::string log = bytes_of(folder.path() / "log");
  constexpr int kNoTorch = 77;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoTorch) {
    const char* ci = std::getenv("CI");
    ASSERT_STRNE(ci ? ci : "", "true") << log;
    GTEST_SKIP() << log;
  }
  ASSERT_EQ(status, 0) << log;
  expect_proved(folder.path());
  EXPECT_THAT(error_of(folder.path() / "symbolic.pt2"), HasSubstr("without dynamic_shapes"));
  EXPECT_THAT(error_of(folder.path() / "written.pt2"), HasSubstr("writes into its argument"));
}
#endif

}  // namespace
}  // namespace assay::test
