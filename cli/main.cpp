// Exit code: 0 proved or accepted, 1 not proved, 2 bad input or usage, 3 our own error.
#include <cstdio>

#include "cli/commands.h"
#include "shared_ir/base/error.h"

int main(int argc, char** argv) {
  CLI::App app("Proves that a distributed ML program refines its sequential specification.",
               "assay");
  app.require_subcommand(1);
  int exit = 0;
  assay::cli::add_check_command(app, exit);
  assay::cli::add_compare_command(app, exit);
  assay::cli::add_lemmas_command(app, exit);
  assay::cli::add_ops_command(app);
  assay::cli::add_report_command(app, exit);
  try {
    app.parse(argc, argv);
    return exit;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const assay::UserError& error) {
    std::fprintf(stderr, "assay: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: internal error: %s\n", error.what());
    return 3;
  }
}
