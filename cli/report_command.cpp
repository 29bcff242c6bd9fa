#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/text_file.h"
#include "shared_ir/base/error.h"
#include "shared_ir/report/report.h"

namespace assay::cli {
namespace {

std::string plot_of(const Report& report, const std::string& file) {
  for (const CaseReport& one : report.cases)
    if (one.dynamic) return tolerance_plot(one.name, *one.dynamic);
  throw UserError({file}, "no case of the report was run",
                  "a refinement test writes one that was, into the folder ASSAY_REPORTS");
}

}  // namespace

void add_report_command(CLI::App& app, int& exit) {
  auto* command = app.add_subcommand("report", "Print a JSON report as text");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "report written by `assay check --json`")->required();
  auto plot = std::make_shared<std::string>();
  command->add_option("--plot", *plot,
                      "write an SVG: errors against tolerances along the graph (of the first case "
                      "that ran)");
  command->callback([file, plot, &exit] {
    const Report report = report_from_json(read_text(*file), *file);
    if (!plot->empty()) write_text(*plot, plot_of(report, *file));
    for (const CaseReport& one : report.cases) {
      std::cout << to_text(one) << "\n";
      exit = std::max(exit, one.exit);
    }
  });
}

}  // namespace assay::cli
