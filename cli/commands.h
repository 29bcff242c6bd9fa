// The subcommands of `assay`. Each adds itself to the application; its callback stores the exit
// code.
#pragma once

#include <CLI/CLI.hpp>

namespace assay::cli {

void add_check_command(CLI::App& app, int& exit);
void add_compare_command(CLI::App& app, int& exit);
void add_lemmas_command(CLI::App& app, int& exit);
void add_ops_command(CLI::App& app);
void add_report_command(CLI::App& app, int& exit);

}  // namespace assay::cli
