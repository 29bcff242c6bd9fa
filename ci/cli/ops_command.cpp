#include <algorithm>
#include <iostream>

#include "ci/cli/commands.h"
#include "shared_ir/operators.h"

namespace assay::cli {

void add_ops_command(CLI::App& app) {
  app.add_subcommand("ops", "List the operators that have a declaration")->callback([] {
    std::vector<std::string> names = OperatorTable::builtin().names();
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) std::cout << name << "\n";
  });
}

}  // namespace assay::cli
