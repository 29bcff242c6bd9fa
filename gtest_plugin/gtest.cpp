#include "assay/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "gtest_plugin/case_bundle.h"
#include "gtest_plugin/failure_message.h"
#include "gtest_plugin/rank_team.h"
#include "gtest_plugin/ranks/launched_output.h"
#include "gtest_plugin/source_place.h"

namespace assay {
namespace {

struct TestPlace {
  const char* file;
  int line;
};

std::map<std::string, TestPlace>& claimed_names() {
  static std::map<std::string, TestPlace> names;
  return names;
}

std::string full_name() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test->test_suite_name()) + "." + test->name();
}

// What the shell calls the test program.
std::string this_binary() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).string();
}

uint64_t seed_from_environment(uint64_t otherwise) {
  const char* text = std::getenv("ASSAY_SEED");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// "cuda:0,cuda:1"; empty where the test names devices itself, or nobody does.
std::string stages_variable(const CheckOptions& options) {
  const char* text = std::getenv("ASSAY_REFERENCE_STAGES");
  return text == nullptr || !options.reference_stages.empty() ? std::string() : text;
}

// The names between commas, as they stand.
std::vector<std::string> listed(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> names;
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

void record(const CaseReport& report, const Mesh& mesh) {
  testing::Test::RecordProperty("verdict",
                                std::string(to_string(report.verdict)) + given_in_words(report));
  testing::Test::RecordProperty("ranks", std::to_string(mesh.world_size()));
  if (report.statics)
    testing::Test::RecordProperty("proof_ms", std::to_string(report.statics->ms.check));
  if (report.dynamic) {
    testing::Test::RecordProperty("seed", std::to_string(report.dynamic->seed));
    testing::Test::RecordProperty("run_ms", std::to_string(report.dynamic->ms));
  }
}

void fail_at(const SourcePlace& place, const std::string& message) {
  ADD_FAILURE_AT(place.file.c_str(), static_cast<int>(place.line)) << message;
}

// The report as JSON, for `assay report`, where the user asks for it.
void write_report(const CaseReport& report) {
  const char* folder = std::getenv("ASSAY_REPORTS");
  if (folder == nullptr || *folder == '\0') return;
  const auto file = std::filesystem::path(folder) / (report.name + ".json");
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::ofstream stream(file, std::ios::binary);
  stream << to_json({{report}});
  if (!stream.flush())
    throw UserError({}, "the report cannot be written to " + file.string(),
                    "set ASSAY_REPORTS to a folder that can be written to");
}

// The leader's alone: others would say the same again.
void publish(const CaseReport& report, FailureContext context, const SourcePlace& otherwise) {
  if (RankTeam::instance().follows()) return;
  record(report, context.mesh);
  write_report(report);
  if (report.exit == 0) return;
  const SourcePlace place = failure_place(report);
  fail_at(place.known() ? place : otherwise, failure_message(report, context));
}

}  // namespace

void claim_test_name(const char* suite, const char* name, const char* file, int line) {
  const auto [found, is_new] =
      claimed_names().emplace(std::string(suite) + "." + name, TestPlace{file, line});
  if (is_new) return;
  std::fprintf(stderr, "%s:%d: error: there is already a refinement test %s, at %s:%d\n", file,
               line, found->first.c_str(), found->second.file, found->second.line);
  std::exit(2);
}

Input RefinementTest::declare(InputSpec input, Place place) {
  input.place = source_place(place);
  if (spec_.sequential) {
    throw UserError(input.place, input.name + " is declared after sequential(...)",
                    "declare inputs and weights first");
  }
  for (const InputSpec& earlier : spec_.inputs) {
    if (earlier.name == input.name) {
      throw UserError(input.place, "there is already an input " + input.name,
                      "at " + to_string(earlier.place));
    }
  }
  spec_.inputs.push_back(std::move(input));
  return {spec_.inputs.back().name};
}

Input RefinementTest::input(const std::string& name, Shape shape, const Placement& placement,
                            Place place) {
  return input(name, std::move(shape), InputOptions{.placement = placement}, place);
}

Input RefinementTest::input(const std::string& name, Shape shape, const InputOptions& options,
                            Place place) {
  InputSpec input;
  input.name = name;
  input.shape = std::move(shape);
  input.dtype = options.dtype;
  input.placement = options.placement;
  input.role = options.role;
  input.bound = options.bound;
  input.requires_grad = options.requires_grad && is_floating(options.dtype);
  return declare(std::move(input), place);
}

Input RefinementTest::ids(const std::string& name, Shape shape, int64_t bound,
                          const Placement& placement, Place place) {
  return input(name, std::move(shape),
               InputOptions{.dtype = DType::kInt64,
                            .placement = placement,
                            .role = InputRole::kTokenIds,
                            .bound = bound},
               place);
}

Input RefinementTest::weight(const std::string& name, Shape shape, const Placement& placement,
                             Place place) {
  const InputRole role = guessed_role(shape.size());
  Input handle =
      input(name, std::move(shape), InputOptions{.placement = placement, .role = role}, place);
  spec_.inputs.back().guessed_role = role == InputRole::kScale;
  return handle;
}

Input RefinementTest::self_made_weight(const std::string& name, Shape shape,
                                       const Placement& placement,
                                       std::function<at::Tensor(Program&)> make, Place place) {
  const Input handle = weight(name, std::move(shape), placement, place);
  spec_.inputs.back().make = std::move(make);
  return handle;
}

Input RefinementTest::state(const std::string& name, const Input& weight, InputRole role,
                            Place place) {
  for (const InputSpec& declared : spec_.inputs) {
    if (declared.name != weight.name) continue;
    return input(name, declared.shape,
                 InputOptions{.dtype = declared.dtype,
                              .placement = declared.placement,
                              .role = role,
                              .requires_grad = false},
                 place);
  }
  throw UserError(source_place(place), "no weight is named " + weight.name,
                  "declare it with weight(...) first");
}

Input RefinementTest::flat_buffer(const std::string& name, const std::vector<Input>& members,
                                  const Placement& placement, Place place) {
  FlatBufferSpec buffer{name, {}, placement, source_place(place)};
  for (const Input& member : members) buffer.members.push_back(member.name);
  spec_.flat_buffers.push_back(std::move(buffer));
  return {name};
}

void RefinementTest::accept_unproved(std::vector<std::string> outputs, std::string reason) {
  spec_.accept = Accepted{std::move(outputs), std::move(reason)};
}

void RefinementTest::accept_approximation(const std::string& output, std::string reason,
                                          Place place) {
  spec_.approximations.push_back({output, std::move(reason), source_place(place)});
}

void RefinementTest::operators(const std::filesystem::path& file) {
  spec_.operator_files.push_back(file);
}

void RefinementTest::lemmas(const std::filesystem::path& file) {
  spec_.lemma_files.push_back(file);
}

void RefinementTest::sequential(ProgramBody body) { spec_.sequential = std::move(body); }

void RefinementTest::distributed(std::vector<Mesh::Axis> mesh, ProgramBody body, Place place) {
  checked_ = true;
  spec_.name = full_name();
  spec_.place = source_place(place);
  spec_.mesh = Mesh(std::move(mesh));
  spec_.distributed = std::move(body);
  const std::string unfit = RankTeam::instance().unfit(spec_.mesh, options_);
  if (!unfit.empty()) GTEST_SKIP() << unfit;
  CheckOptions options = options_;
  options.seed = seed_from_environment(options.seed);
  if (const char* folder = std::getenv("ASSAY_TRACES"))
    options.traces = std::filesystem::path(folder) / spec_.name;
  const std::string stages = stages_variable(options);
  if (!stages.empty()) options.reference_stages = listed(stages);
  const CaseReport report = check_refinement(spec_, options);
  const bool reports = report.exit != 0 && !RankTeam::instance().follows() && !told_to_end();
  FailureContext context{spec_.name,    this_binary(),
                         spec_.mesh,    options.seed,
                         /*bundle=*/"", RankTeam::instance().executor_variable(options),
                         stages,        RankTeam::instance().device_variable(options)};
  if (reports) write_bundle(spec_, &context);
  publish(report, context, spec_.place);
}

void RefinementTest::check_case(const std::filesystem::path& folder, Place place) {
  checked_ = true;
  const CaseReport report = check_case_folder(full_name(), folder, options_);
  publish(
      report,
      {report.name, this_binary(), Mesh(), seed_from_environment(options_.seed), folder.string()},
      source_place(place));
}

void RefinementTest::TestBody() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const SourcePlace here{test->file(), test->line(), 0};
  try {
    describe_refinement();
    if (!checked_ && !IsSkipped() && !HasFailure()) {
      fail_at(here,
              "nothing was checked: the test calls neither distributed(...) nor check_case(...)");
    }
  } catch (const UserError& error) {
    fail_at(error.place().known() ? error.place() : here,
            error.message() + (error.hint().empty() ? "" : "\n" + error.hint()));
  }
}

}  // namespace assay
