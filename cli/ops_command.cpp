#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/capture_coverage.h"
#include "cli/commands.h"
#include "cli/operator_coverage.h"
#include "shared_ir/base/error.h"
#include "shared_ir/operator_table/operator_description.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay::cli {
namespace {

void list(const OperatorTable& operators) {
  std::vector<std::string> names = operators.names();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) std::cout << name << "\n";
}

void describe_each(const OperatorTable& operators, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const OperatorDeclaration* declaration = operators.find(name);
    if (declaration == nullptr)
      throw UserError({}, "no declaration of " + name + ": `assay ops` lists those that there are");
    std::cout << name << "\n" << describe(*declaration);
  }
}

}  // namespace

void add_ops_command(CLI::App& app) {
  struct Arguments {
    std::vector<std::string> names;
    std::vector<std::filesystem::path> files;
    bool coverage = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "ops", "List the operators that have a declaration, or say all that is known of some");
  command->add_option("NAME", given->names, "operators, such as aten.mm");
  command->add_option("--operators", given->files, "files of declarations of your own");
  command->add_flag("--coverage", given->coverage,
                    "which of PyTorch's core operators, and of those that models call, are "
                    "declared and captured, and why others are not");
  command->callback([given] {
    const OperatorTable operators = OperatorTable::with_files(given->files);
    if (given->coverage)
      std::cout << core_coverage(operators) << capture_coverage(operators);
    else if (given->names.empty())
      list(operators);
    else
      describe_each(operators, given->names);
  });
}

}  // namespace assay::cli
