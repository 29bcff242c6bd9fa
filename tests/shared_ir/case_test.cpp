#include "shared_ir/case/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared_ir/import/fx_json/fx_json.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/small_case.h"

namespace assay {
namespace {

using test::bad_cases;
using test::ScratchFolder;
using test::small_case_files;
using testing::ElementsAre;
using testing::HasSubstr;

void expect_same(const Case& a, const Case& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(to_fx_json(a.sequential, 0), to_fx_json(b.sequential, 0));
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (size_t i = 0; i < a.ranks.size(); ++i) {
    EXPECT_EQ(to_fx_json(a.ranks[i], 0), to_fx_json(b.ranks[i], 0));
  }
  EXPECT_EQ(a.sequential_groups, b.sequential_groups);
  EXPECT_EQ(a.distributed_groups, b.distributed_groups);
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    EXPECT_EQ(a.inputs[i].tensor, b.inputs[i].tensor);
    EXPECT_EQ(a.inputs[i].replicas, b.inputs[i].replicas);
  }
  EXPECT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.expect.size(), b.expect.size());
  for (size_t i = 0; i < a.expect.size(); ++i) {
    EXPECT_EQ(a.expect[i].sequential, b.expect[i].sequential);
    EXPECT_EQ(a.expect[i].replicas, b.expect[i].replicas);
  }
  ASSERT_EQ(a.accept.has_value(), b.accept.has_value());
  if (a.accept) {
    EXPECT_EQ(a.accept->tensors, b.accept->tensors);
    EXPECT_EQ(a.accept->reason, b.accept->reason);
  }
  ASSERT_EQ(a.approximations.size(), b.approximations.size());
  for (size_t i = 0; i < a.approximations.size(); ++i) {
    EXPECT_EQ(a.approximations[i].tensor, b.approximations[i].tensor);
    EXPECT_EQ(a.approximations[i].replicas, b.approximations[i].replicas);
    EXPECT_EQ(a.approximations[i].reason, b.approximations[i].reason);
  }
  EXPECT_EQ(a.allow_scale, b.allow_scale);
  EXPECT_EQ(a.random_agrees, b.random_agrees);
  EXPECT_EQ(a.no_target_ignored, b.no_target_ignored);
  EXPECT_EQ(a.never_ignored, b.never_ignored);
  EXPECT_EQ(a.self_made, b.self_made);
  EXPECT_EQ(a.operator_files.size(), b.operator_files.size());
  EXPECT_EQ(a.lemma_files.size(), b.lemma_files.size());
  ASSERT_EQ(a.known.has_value(), b.known.has_value());
  if (a.known) {
    EXPECT_EQ(a.known->verdict, b.known->verdict);
    EXPECT_EQ(a.known->at, b.known->at);
  }
}

// The error of loading the small case with these files, "" when it loads.
std::string load_error(const std::map<std::string, std::string>& files, ScratchFolder* folder) {
  test::write_files(*folder, files);
  try {
    load_case(folder->path());
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CaseFile, IsReadInItsOwnOrder) {
  ScratchFolder folder;
  test::write_files(folder, small_case_files());
  const Case loaded = load_case(folder.path());
  EXPECT_EQ(loaded.name, "small");
  EXPECT_EQ(loaded.ranks.size(), 2u);
  ASSERT_EQ(loaded.inputs.size(), 2u);
  EXPECT_EQ(loaded.inputs[0].tensor, "x");
  EXPECT_EQ(loaded.inputs[0].place.line, 16);
  EXPECT_EQ(loaded.inputs[1].replicas.size(), 2u);
  EXPECT_THAT(loaded.outputs, ElementsAre("y"));
  ASSERT_EQ(loaded.expect.size(), 2u);
  EXPECT_EQ(to_string(loaded.expect[1].sequential, Leaves::kSequential), "concat(y, z; dim=1)");
  EXPECT_EQ(loaded.known->verdict, "refines");
}

TEST(CaseFile, ChecksEveryOutputUnlessToldOtherwise) {
  ScratchFolder folder;
  auto files = small_case_files();
  test::apply({"case.toml", "outputs = [\"y\"]", ""}, &files);
  test::write_files(folder, files);
  EXPECT_THAT(load_case(folder.path()).outputs, ElementsAre("y", "z"));
}

TEST(CaseFile, OneGraphMayServeAllRanks) {
  ScratchFolder folder;
  auto files = small_case_files();
  test::apply({"case.toml", R"j(["rank0.json", "rank1.json"])j", "[\"rank0.json\"]\nranks = 2"},
              &files);
  test::write_files(folder, files);
  EXPECT_EQ(load_case(folder.path()).ranks.size(), 2u);
}

TEST(CaseFile, SavingAndLoadingIsTheIdentity) {
  ScratchFolder folder, copy;
  auto files = small_case_files();
  test::apply({"case.toml", "outputs = [\"y\"]",
               "outputs = [\"z\"]\nallow_scale = true\nself_made = [\"c\"]"},
              &files);
  files["case.toml"] +=
      "at = [\"z\"]\n[accept]\nunproved = [\"z\"]\nreason = \"a \\\"reason\\\"\\n\"\n"
      "[[accept.approximation]]\ntensor = \"z\"\nrelation = [\"concat(z@0, z@1; dim=0)\"]\n"
      "reason = \"near enough\"\n"
      "[assume]\nrandom = \"independent\"\nignored_targets = \"none\"\n[operators]\nfiles = "
      "[\"mine.toml\"]\n"
      "[lemmas]\nfiles = [\"mine.toml\"]\n";
  folder.write("mine.toml", "");
  test::write_files(folder, files);
  const Case loaded = load_case(folder.path());
  save_case(loaded, copy.path());
  expect_same(load_case(copy.path()), loaded);
}

TEST(CaseFile, RelationsMayUseAnyNameOfATensor) {
  ScratchFolder folder;
  auto files = small_case_files();
  for (const std::string name : {"sequential.json", "rank0.json", "rank1.json"}) {
    test::apply({name, "]}\n", "], \"names\": {\"bias\": \"c\"}}\n"}, &files);
  }
  test::apply({"case.toml", "c = [\"c@0\", \"c@1\"]", "bias = [\"bias@0\", \"c@1\"]"}, &files);
  test::write_files(folder, files);
  const Relation relation = load_case(folder.path()).inputs.at(1);
  EXPECT_EQ(relation.tensor, "c");
  EXPECT_EQ(to_string(relation.replicas.at(0)), "c@0");
  EXPECT_EQ(to_string(relation.replicas.at(1)), "c@1");
}

TEST(CaseFile, RelationsOfOneTensorUnderTwoNamesMustNotContradictEachOther) {
  ScratchFolder folder;
  auto files = small_case_files();
  test::apply({"rank0.json", "]}\n", "], \"names\": {\"bias\": \"c\"}}\n"}, &files);
  const std::string halves =
      "concat(slice(bias@0; dim=0, start=3, end=6), slice(bias@0; dim=0, start=0, end=3); dim=0)";
  test::apply({"case.toml", "\"c@1\"]", "\"c@1\", \"" + halves + "\"]"}, &files);
  test::write_files(folder, files);
  try {
    load_case(folder.path());
    FAIL() << "loaded";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("contradictory relation"));
  }
}

TEST(CaseFile, ValuesThatTheCaptureLostAreInputsWhereARelationNamesThem) {
  ScratchFolder folder, copy;
  auto files = small_case_files();
  for (const std::string name : {"sequential.json", "rank0.json", "rank1.json"}) {
    test::apply(
        {name, R"j({"op":"placeholder","name":"c","target":"c","args":[])j",
         R"j({"op":"call_function","name":"c","target":"aten.empty.memory_format","args":[[6]])j"},
        &files);
  }
  test::write_files(folder, files);
  const Case loaded = load_case(folder.path());
  const TensorId c = loaded.ranks[1].find("c");
  EXPECT_EQ(loaded.ranks[1].tensors[static_cast<size_t>(c)].producer, kNone);
  EXPECT_EQ(loaded.ranks[1].inputs.size(), 2u);
  EXPECT_EQ(loaded.ranks[1].nodes.size(), 2u);
  save_case(loaded, copy.path());
  expect_same(load_case(copy.path()), loaded);
}

class BadCases : public testing::TestWithParam<test::BadCase> {};

TEST_P(BadCases, AreRejectedWithFileAndPlace) {
  ScratchFolder folder;
  auto files = small_case_files();
  ASSERT_EQ(load_error(files, &folder), "");
  test::apply(GetParam().damage, &files);
  const std::string error = load_error(files, &folder);
  EXPECT_THAT(error, HasSubstr((folder.path() / GetParam().place).string()));
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Damaged, BadCases, testing::ValuesIn(bad_cases()),
                         [](const auto& param) { return param.param.name; });

struct Inputs {
  std::string name;
  std::string x;
  bool contradictory;
};

class InputRelations : public testing::TestWithParam<Inputs> {};

TEST_P(InputRelations, MustNotContradictThemselves) {
  ScratchFolder folder;
  auto files = small_case_files();
  test::apply({"case.toml", "[\"concat(x@0, x@1; dim=0)\"]", GetParam().x}, &files);
  const std::string error = load_error(files, &folder);
  if (GetParam().contradictory) {
    EXPECT_THAT(error, HasSubstr("contradictory relation"));
  } else {
    EXPECT_EQ(error, "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfX, InputRelations,
    testing::Values(
        Inputs{"SameTwice", R"j(["concat(x@0, x@1; dim=0)", "concat(x@0, x@1; dim=0)"])j", false},
        Inputs{"Halves", R"j(["concat(x@0, x@0; dim=0)"])j", true},
        Inputs{
            "Interleaved",
            R"j(["concat(slice(x@0; dim=0, start=0, end=2), slice(x@1; dim=0, start=0, end=2), slice(x@0; dim=0, start=2, end=4), slice(x@1; dim=0, start=2, end=4); dim=0)"])j",
            false},
        Inputs{
            "OverlappingSlices",
            R"j(["concat(slice(x@0; dim=0, start=0, end=2), x@1, slice(x@0; dim=0, start=1, end=3); dim=0)"])j",
            true},
        Inputs{
            "DroppedByASlice",
            R"j(["concat(slice(x@0; dim=0, start=0, end=2), x@1, slice(x@0; dim=0, start=2, end=4); dim=0)"])j",
            false},
        Inputs{"PartialAndWhole",
               R"j(["concat(sum(x@0, x@1), slice(x@1; dim=0, start=0, end=4); dim=0)"])j", true},
        Inputs{"SumsInTwoOrders",
               R"j(["concat(x@0, x@1; dim=0)", "concat(x@0, sum(x@1); dim=0)"])j", false},
        Inputs{
            "ReshapedAlike",
            R"j(["concat(x@0, x@1; dim=0)", "reshape(concat(reshape(x@0; shape=[24]), reshape(x@1; shape=[24]); dim=0); shape=[8, 6])"])j",
            false},
        Inputs{
            "ReshapedTransposed",
            R"j(["concat(x@0, x@1; dim=0)", "concat(reshape(permute(x@0; dims=[1, 0]); shape=[4, 6]), x@1; dim=0)"])j",
            true},
        Inputs{
            "PermutedTwice",
            R"j(["concat(x@0, x@1; dim=0)", "permute(concat(permute(x@0; dims=[1, 0]), permute(x@1; dims=[1, 0]); dim=1); dims=[1, 0])"])j",
            false}),
    [](const auto& param) { return param.param.name; });

// With the time and the memory of what they say, not of its square: ctest's time limit sees to it.
TEST(CaseFile, ManyReplicasAndLongSumsAreChecked) {
  std::string replicas = "\"c@0\", \"c@1\"", parts = "c@0";
  for (int i = 0; i < 20'000; ++i) {
    replicas += ", \"c@0\"";
    parts += ", c@0";
  }
  for (const std::string& list : {replicas, "\"sum(" + parts + ")\""}) {
    ScratchFolder folder;
    auto files = small_case_files();
    test::apply({"case.toml", "\"c@0\", \"c@1\"", list}, &files);
    EXPECT_EQ(load_error(files, &folder), "");
  }
}

TEST(CaseFile, MissingFolderIsAnError) { EXPECT_THROW(load_case("/nowhere/at/all"), UserError); }

TEST(CapturedCases, LoadAndSurviveSaving) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  int loaded_cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::captured_graphs())) {
    if (!std::filesystem::exists(entry.path() / "sequential.json")) continue;
    SCOPED_TRACE(entry.path());
    ++loaded_cases;
    const Case loaded = load_case(entry.path());
    ScratchFolder copy;
    save_case(loaded, copy.path());
    expect_same(load_case(copy.path()), loaded);
  }
  EXPECT_GT(loaded_cases, 0);
}

}  // namespace
}  // namespace assay
