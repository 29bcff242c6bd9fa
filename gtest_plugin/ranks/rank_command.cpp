#include "gtest_plugin/ranks/rank_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

// GoogleTest reads its flags from variables of that prefix, and these from a build system.
bool is_for_whole_program(std::string_view variable) {
  constexpr std::array<std::string_view, 4> kOthers = {
      "XML_OUTPUT_FILE=", "TEST_PREMATURE_EXIT_FILE=", "TESTBRIDGE_TEST_ONLY=", "TEST_SHARD_"};
  if (variable.starts_with("GTEST_")) return true;
  for (const std::string_view other : kOthers) {
    if (variable.starts_with(other)) return true;
  }
  return false;
}

}  // namespace

ChildCommand rank_command() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) {
    throw UserError({}, "ranks run in processes of the test that is running, and none is",
                    "check inside a test, or set ASSAY_EXECUTOR=threads");
  }
  ChildCommand command;
  command.program = std::filesystem::read_symlink("/proc/self/exe");
  for (const std::string& argument : own_arguments()) {
    if (!argument.starts_with("--gtest_")) command.arguments.push_back(argument);
  }
  command.arguments.push_back(std::string("--gtest_filter=") + test->test_suite_name() + "." +
                              test->name());
  command.arguments.push_back("--gtest_also_run_disabled_tests");
  command.arguments.push_back("--gtest_brief=1");
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_for_whole_program(*variable)) command.environment.emplace_back(*variable);
  }
  return command;
}

}  // namespace assay
