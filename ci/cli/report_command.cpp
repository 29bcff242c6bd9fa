#include <algorithm>
#include <iostream>
#include <memory>

#include "ci/cli/commands.h"
#include "ci/cli/text_file.h"
#include "shared_ir/report.h"

namespace assay::cli {

void add_report_command(CLI::App& app, int& exit) {
  auto* command = app.add_subcommand("report", "Print a JSON report as text");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "report written by `assay check --json`")->required();
  command->callback([file, &exit] {
    const Report report = report_from_json(read_text(*file), *file);
    for (const CaseReport& one : report.cases) {
      std::cout << to_text(one) << "\n";
      exit = std::max(exit, one.exit);
    }
  });
}

}  // namespace assay::cli
