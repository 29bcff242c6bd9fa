// Programs that torch.export.save wrote (make_archives.py), imported and proved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "shared_ir/import/pt2/pt2.h"
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
