#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace assay::test {

/// Files of a correct case: y = relu(x) and z = x + c, x split by rows over two ranks, c
/// replicated. Tests damage one of them to see the error.
inline std::map<std::string, std::string> small_case_files() {
  const auto graph = [](int rank, int rows) {
    const std::string value =
        R"j("value":{"dtype":"float32","shape":[)j" + std::to_string(rows) + ",6]}";
    const std::string head = R"j({"format": "fx-json", "version": 1, "rank": )j";
    return head + std::to_string(rank) + ", \"nodes\": [\n" +
           R"j({"op":"placeholder","name":"x","target":"x","args":[],"kwargs":{},)j" + value +
           "},\n" + R"j({"op":"placeholder","name":"c","target":"c","args":[],"kwargs":{},)j" +
           R"j("value":{"dtype":"float32","shape":[6]}},)j" + "\n" +
           R"j({"op":"call_function","name":"y","target":"aten.relu.default","args":[{"node":"x"}],)j" +
           R"j("kwargs":{},)j" + value + R"j(,"source":"model.py:7"},)j" + "\n" +
           R"j({"op":"call_function","name":"z","target":"aten.add.Tensor",)j" +
           R"j("args":[{"node":"x"},{"node":"c"}],"kwargs":{},)j" + value +
           R"j(,"source":"model.py:8"},)j" + "\n" +
           R"j({"op":"output","name":"output","target":"output",)j" +
           R"j("args":[[{"node":"y"},{"node":"z"}]],"kwargs":{}})j" + "\n]}\n";
  };
  return {{"case.toml", R"j(version = 1
name = "small"

[sequential]
graphs = ["sequential.json"]

[distributed]
graphs = ["rank0.json", "rank1.json"]

[groups.sequential]

[groups.distributed]
"tp:0" = [0, 1]

[inputs]
x = ["concat(x@0, x@1; dim=0)"]
c = ["c@0", "c@1"]

[check]
outputs = ["y"]

[expect]
y = ["concat(y@0, y@1; dim=0)"]
"concat(y, z; dim=1)" = ["concat(concat(y@0, z@0; dim=1), concat(y@1, z@1; dim=1); dim=0)"]

[verdict]
static = "refines"
)j"},
          {"sequential.json", graph(0, 8)},
          {"rank0.json", graph(0, 4)},
          {"rank1.json", graph(1, 4)}};
}

inline void write_files(const ScratchFolder& folder,
                        const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) folder.write(name, text);
}

/// Replaces the one occurrence of `from` in a file; an empty `from` replaces everything.
struct Damage {
  std::string file;
  std::string from;
  std::string to;
};

inline void apply(const Damage& damage, std::map<std::string, std::string>* files) {
  std::string& text = files->at(damage.file);
  if (damage.from.empty()) {
    text = damage.to;
    return;
  }
  const size_t at = text.find(damage.from);
  ASSERT_NE(at, std::string::npos) << "no '" << damage.from << "' in " << damage.file;
  text.replace(at, damage.from.size(), damage.to);
}

/// A damaged case, the place of the error (below the folder) and what the error must say.
struct BadCase {
  std::string name;
  Damage damage;
  std::string place;
  std::string message;
};

/// The small case with an approximation in lines 26 to 29 of case.toml.
inline Damage approximated(const std::string& tensor, const std::string& relation,
                           const std::string& reason) {
  return {"case.toml", "[verdict]",
          "[[accept.approximation]]\ntensor = \"" + tensor + "\"\nrelation = [\"" + relation +
              "\"]\n" + reason + "\n[verdict]"};
}

inline std::vector<BadCase> bad_cases() {
  const std::string given = "reason = \"near enough\"";
  return {
      {"TruncatedJson", {"rank1.json", "]}\n", ""}, "rank1.json:7", "the JSON text ends too early"},
      {"UnknownNode",
       {"rank1.json", R"j([{"node":"x"},{"node":"c"}])j", R"j([{"node":"x"},{"node":"d"}])j"},
       "rank1.json:5",
       "node 'z': uses 'd', which does not exist"},
      {"CyclicGraph",
       {"rank1.json",
        R"j("args":[{"node":"x"}],"kwargs":{},"value":{"dtype":"float32","shape":[4,6]},"source":"model.py:7")j",
        R"j("args":[{"node":"z"}],"kwargs":{},"value":{"dtype":"float32","shape":[4,6]},"source":"model.py:7")j"},
       "rank1.json:4",
       "the graph is cyclic"},
      {"WrongShape",
       {"rank1.json",
        R"j("name":"x","target":"x","args":[],"kwargs":{},"value":{"dtype":"float32","shape":[4,6]})j",
        R"j("name":"x","target":"x","args":[],"kwargs":{},"value":{"dtype":"float32","shape":[5,6]})j"},
       "case.toml:16:1",
       "'x' has shape [8, 6], but concat(x@0, x@1; dim=0) has [9, 6]"},
      {"ContradictoryRelation",
       {"case.toml", R"j(["concat(x@0, x@1; dim=0)"])j",
        R"j(["concat(x@0, x@1; dim=0)", "concat(x@1, x@0; dim=0)"])j"},
       "case.toml:16:1",
       "contradictory relation: element [0, 0] of x@1 is x[0, 0] and also x[4, 0]"},
      {"MissingRankFile",
       {"case.toml", R"j("rank1.json")j", R"j("rank2.json")j"},
       "case.toml:8:26",
       "rank2.json' does not exist"},
      {"GroupOfUnknownRank",
       {"case.toml", "[0, 1]", "[0, 2]"},
       "case.toml:13:1",
       "group 'tp:0' of the distributed program has rank 2, which does not exist"},
      {"GroupWithRankTwice",
       {"case.toml", "[0, 1]", "[0, 0]"},
       "case.toml:13:1",
       "has rank 0 twice"},
      {"UnknownKey",
       {"case.toml", "outputs = ", "output = "},
       "case.toml:20:1",
       "unknown key 'output' in [check]"},
      {"UnknownTable",
       {"case.toml", "[check]", "[checks]"},
       "case.toml:19:2",
       "unknown key 'checks' in the case"},
      {"UnknownOutput",
       {"case.toml", R"j(outputs = ["y"])j", R"j(outputs = ["w"])j"},
       "case.toml:20:13",
       "the sequential graph has no tensor 'w'"},
      {"UnknownInput",
       {"case.toml", "\nc = ", "\nd = "},
       "case.toml:17:1",
       "the sequential graph has no tensor 'd'"},
      {"UnknownLeaf",
       {"case.toml", "\"c@1\"", "\"d@1\""},
       "case.toml:17:1",
       "the graph of rank 1 has no tensor 'd'"},
      {"UnknownRank",
       {"case.toml", "\"c@1\"", "\"c@2\""},
       "case.toml:17:1",
       "rank 2 of c does not exist"},
      {"MalformedExpression",
       {"case.toml", R"j("concat(x@0, x@1; dim=0)")j", R"j("concat(x@0, x@1 dim=0)")j"},
       "case.toml:16:23",
       "expected ',', ';' or ')', found 'd'"},
      {"RelationOfAResult",
       {"case.toml", "\nc = ", "\ny = "},
       "case.toml:17:1",
       "'y' is no input: aten.relu.default computes it"},
      {"ScaleThatIsNotAllowed",
       {"case.toml", "\"c@1\"", "\"scale(c@1; by=1/2)\""},
       "case.toml:17:1",
       "[check] allow_scale = true permits it"},
      {"NoToml", {"case.toml", "[check]", "[check"}, "case.toml:19", "while parsing"},
      {"WrongVersion", {"case.toml", "version = 1", "version = 2"}, "case.toml:1:1", "version 1"},
      {"WrongType",
       {"case.toml", "version = 1", "version = \"1\""},
       "case.toml:1:11",
       "'version' in the case is not an integer"},
      {"UnknownFormat",
       {"case.toml", R"j("rank1.json")j", R"j("rank1.onnx")j"},
       "case.toml:8:26",
       "graphs are fx-JSON files"},
      {"FileNameThatNoFileHas",
       {"case.toml", R"j("rank1.json")j", '"' + std::string(300, 'r') + ".json\""},
       "case.toml:8:26",
       "does not exist"},
      {"TooManyRanks",
       {"case.toml", R"j(graphs = ["rank0.json", "rank1.json"])j",
        "graphs = [\"rank0.json\"]\nranks = 1000000"},
       "case.toml:9:1",
       "ranks = 1000000: at most 65536 ranks are checked"},
      {"RanksThatDoNotFit",
       {"case.toml", R"j(graphs = ["rank0.json", "rank1.json"])j",
        "graphs = [\"rank0.json\", \"rank1.json\"]\nranks = 3"},
       "case.toml:9:1",
       "ranks = 3 does not fit 2 graphs"},
      {"ExpectationOfWrongShape",
       {"case.toml", R"j(y = ["concat(y@0, y@1; dim=0)"])j", R"j(y = ["sum(y@0, y@1)"])j"},
       "case.toml:23:1",
       "'y' has shape [8, 6], but sum(y@0, y@1) has [4, 6]"},
      {"ApproximationOfUnknownTensor", approximated("w", "concat(y@0, y@1; dim=0)", given),
       "case.toml:27:11", "the sequential graph has no tensor 'w'"},
      {"ApproximationOfAnInput", approximated("x", "concat(y@0, y@1; dim=0)", given),
       "case.toml:27:11", "'x' is an input: nothing approximates it"},
      {"ApproximationByAnInput", approximated("y", "concat(y@0, x@1; dim=0)", given),
       "case.toml:27:11", "x@1 is an input: nothing approximates it"},
      {"ApproximationOfAnotherShape", approximated("y", "y@0", given), "case.toml:27:11",
       "'y' has shape [8, 6], but y@0 has [4, 6]"},
      {"ApproximationByUnknownTensor", approximated("y", "concat(y@0, w@1; dim=0)", given),
       "case.toml:27:11", "the graph of rank 1 has no tensor 'w'"},
      {"ApproximationWithoutReason", approximated("y", "concat(y@0, y@1; dim=0)", ""),
       "case.toml:26:1", "[[accept.approximation]] needs the key 'reason'"},
      {"ApproximationWithEmptyReason",
       approximated("y", "concat(y@0, y@1; dim=0)", "reason = \"\""), "case.toml:27:11",
       "the approximation of 'y' needs a reason"},
      {"ApproximationWithUnknownKey",
       approximated("y", "concat(y@0, y@1; dim=0)", given + "\nreasons = 2"), "case.toml:30:1",
       "unknown key 'reasons' in [[accept.approximation]]"},
      {"ApproximationTwice",
       approximated("y", "concat(y@0, y@1; dim=0)",
                    given +
                        "\n[[accept.approximation]]\ntensor = \"y\"\nrelation = "
                        "[\"concat(y@0, y@1; dim=0)\"]\n" +
                        given),
       "case.toml:31:11", "'y' is approximated twice"},
  };
}

}  // namespace assay::test
