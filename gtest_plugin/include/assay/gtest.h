// TEST_REFINEMENT: a GoogleTest test that a distributed program refines a sequential one. Works
// with stock gtest_main, filters, sharding, XML and CTest. Include the ATen operators that the
// programs use.
//
//   TEST_REFINEMENT(Mlp, RowParallel) {
//     auto x = input("x", {8, 64}, Shard("tp", 1));
//     auto w = weight("w", {64, 32}, Shard("tp", 0));
//     sequential([&](Program& p) { p.output("y", mm(p[x], p[w])); });
//     distributed({{"tp", 2}}, [&](Program& p) { p.output("y", p.all_reduce(mm(p[x], p[w]), "tp"));
//     });
//   }
//
// The environment: ASSAY_SEED is the seed of the run; ASSAY_EXECUTOR is what the ranks run as
// (ExecutorKind: threads, gloo or nccl); the variables of torchrun, mpirun and srun say that the
// program was started once per rank; ASSAY_BUNDLES is the folder that gets one case folder per
// failed test (default: "assay" in GoogleTest's folder for temporary files); ASSAY_REPORTS is a
// folder that gets every test's report as TEST.json; ASSAY_TRACES is a folder that keeps the traces
// of every test's runs, in TEST/PRECISION/, for `assay compare` (not set: neither is kept).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "assay/refinement.h"
#include "assay/test_words.h"

namespace assay {

// The base of every refinement test; a fixture of TEST_REFINEMENT_F derives from it. Its functions
// are the sentences of a test: inputs and clauses first, then sequential(...), then
// distributed(...), which checks at once. Several distributed(...), over other meshes say, are
// checked one by one. What is wrong fails the test at the user's line.
class RefinementTest : public testing::Test, protected TestWords {
 protected:
  struct InputOptions {
    DType dtype = DType::kFloat32;
    Placement placement;
    InputRole role = InputRole::kActivation;
    int64_t bound = 0;  // kTokenIds, kLabels: 0 <= element < bound
    bool requires_grad = true;
  };
  using Place = std::source_location;

  // A tensor that both programs read; `shape` is that of the whole.
  Input input(const std::string& name, Shape shape, const Placement& placement = Replicate(),
              Place place = Place::current());
  Input input(const std::string& name, Shape shape, const InputOptions& options,
              Place place = Place::current());
  // int64 ids, 0 <= id < bound; the run tries the bounds of every shard of a table of `bound` rows.
  Input ids(const std::string& name, Shape shape, int64_t bound,
            const Placement& placement = Replicate(), Place place = Place::current());
  // A parameter: its values are scaled by fan-in, or near 1 if it has at most one dimension,
  // which the report says. A bias is an input with InputOptions{.role = InputRole::kBias}.
  Input weight(const std::string& name, Shape shape, const Placement& placement = Replicate(),
               Place place = Place::current());
  // A parameter that the distributed program makes itself: `make` returns this rank's part and may
  // communicate. The placement is what the test believes of it; the run holds the parts against it
  // first.
  Input self_made_weight(const std::string& name, Shape shape, const Placement& placement,
                         std::function<at::Tensor(Program&)> make, Place place = Place::current());

  // What an optimizer keeps for a weight (role kFirstMoment, such as a momentum, or kSecondMoment):
  // of its shape and placement, without a gradient. Throws UserError when there is no such weight.
  Input state(const std::string& name, const Input& weight, InputRole role,
              Place place = Place::current());

  // A buffer in which the distributed program holds the members, flattened one after the other and
  // padded at the end to a multiple of the ranks that split it; `placement` is the buffer's:
  //   auto params = flat_buffer("params", {w1, w2}, Shard("dp", 0));
  // The sequential program reads p[w1] and p[w2], the distributed one p[params]: this rank's piece.
  // A member's own placement says which part of it goes into the buffer (Shard("tp", 0), say).
  Input flat_buffer(const std::string& name, const std::vector<Input>& members,
                    const Placement& placement, Place place = Place::current());

  // Outputs whose proof may be missing, if the run is within tolerance. The report repeats the
  // reason.
  void accept_unproved(std::vector<std::string> outputs, std::string reason);
  // An output that the ranks compute otherwise than the sequential program, and that counts as the
  // sequential one all the same, placed as the distributed program says: statistics of a rank's own
  // batch, a route among a rank's own experts. It stands in for one operator: what that reads must
  // be right, and so must everything else, given this. The verdict and the report say so; the run
  // says how far the two are apart. An approximation that is not needed is an error.
  void accept_approximation(const std::string& output, std::string reason,
                            Place place = Place::current());
  // Declarations of operators that Assay does not know, a TOML file (the form of
  // shared_ir/operators/*.toml).
  void operators(const std::filesystem::path& file);
  // Lemmas of the user's, a TOML file (the form of static_check/lemmas/*.toml; `assay lemmas
  // --certify FILE` certifies them).
  void lemmas(const std::filesystem::path& file);
  // Precisions of the run, its seed, its time, its samples.
  CheckOptions& options() { return options_; }

  void sequential(ProgramBody body);
  void distributed(std::vector<Mesh::Axis> mesh, ProgramBody body, Place place = Place::current());

  // Checks a case folder (case.toml and its graphs). There is no program to run: the proof alone
  // decides.
  void check_case(const std::filesystem::path& folder, Place place = Place::current());

 private:
  virtual void describe_refinement() = 0;
  void TestBody() final;
  Input declare(InputSpec input, Place place);

  RefinementSpec spec_;
  CheckOptions options_;
  bool checked_ = false;
};

// For the macros. Stops the program when a test of that name is there already.
void claim_test_name(const char* suite, const char* name, const char* file, int line);

template <class Group, class Test>
bool register_refinement(const char* suite, const char* name, const char* file, int line) {
  claim_test_name(suite, name, file, line);
  testing::RegisterTest(suite, name, nullptr, nullptr, file, line,
                        []() -> Group* { return new Test; });
  return true;
}

}  // namespace assay

// The class has external linkage: a second test of this name in another file is an error of the
// linker.
#define ASSAY_REFINEMENT_TEST_(suite, name, base, group)                                        \
  class suite##_##name##_RefinementTest : public base {                                         \
    void describe_refinement() override;                                                        \
    static const bool registered_;                                                              \
  };                                                                                            \
  const bool suite##_##name##_RefinementTest::registered_ =                                     \
      ::assay::register_refinement<group, suite##_##name##_RefinementTest>(#suite, #name,       \
                                                                           __FILE__, __LINE__); \
  void suite##_##name##_RefinementTest::describe_refinement()

// TEST_REFINEMENT(Suite, Name) { inputs; sequential(...); distributed(...); }
#define TEST_REFINEMENT(suite, name) \
  ASSAY_REFINEMENT_TEST_(suite, name, ::assay::RefinementTest, ::testing::Test)

// The same with a fixture, a class derived from assay::RefinementTest; its name is the suite's.
#define TEST_REFINEMENT_F(fixture, name) ASSAY_REFINEMENT_TEST_(fixture, name, fixture, fixture)

// TEST_REFINEMENT_CASE(Suite, Name, "folder of a case.toml")
#define TEST_REFINEMENT_CASE(suite, name, folder) \
  TEST_REFINEMENT(suite, name) { check_case(folder); }
