#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <memory>
#include <thread>

#include "cli/check_one.h"
#include "cli/commands.h"
#include "cli/text_file.h"

namespace assay::cli {
namespace {

struct Arguments {
  std::vector<std::string> cases;
  std::string json, html, junit;
  int jobs = 1;
  double timeout_seconds = 60;
  CheckOptions options;
};

// Checks the cases on `jobs` threads; the report keeps the order of the arguments.
Report check_all(const Arguments& arguments) {
  Report report;
  report.cases.resize(arguments.cases.size());
  std::atomic<size_t> next = 0;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto work = [&] {
    for (size_t i = next++; i < arguments.cases.size(); i = next++) {
      if (terminal) std::fprintf(stderr, "checking %s\n", arguments.cases[i].c_str());
      report.cases[i] = check_one(arguments.cases[i], arguments.options);
    }
  };
  std::vector<std::thread> threads;
  const size_t extra =
      std::min<size_t>(static_cast<size_t>(arguments.jobs), arguments.cases.size());
  for (size_t i = 1; i < extra; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return report;
}

int run(const Arguments& arguments) {
  const Report report = check_all(arguments);
  int exit = 0;
  for (const CaseReport& one : report.cases) {
    std::cout << to_text(one) << "\n";
    exit = std::max(exit, one.exit);
  }
  if (!arguments.json.empty()) write_text(arguments.json, to_json(report));
  if (!arguments.html.empty()) write_text(arguments.html, to_html(report));
  if (!arguments.junit.empty()) write_text(arguments.junit, to_junit(report));
  return exit;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit) {
  auto* command = app.add_subcommand("check", "Check refinement cases");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("CASE", arguments->cases, "case folders (or their case.toml)")->required();
  command->add_option("--json", arguments->json, "write the report as JSON");
  command->add_option("--html", arguments->html, "write the report as a page");
  command->add_option("--junit", arguments->junit, "write the report as JUnit XML");
  command->add_option("--jobs", arguments->jobs, "cases checked at a time")
      ->check(CLI::Range(1, 1024));
  command->add_option("--timeout", arguments->timeout_seconds, "seconds a proof may take")
      ->check(CLI::Range(0.001, 1e6));
  command->add_flag("--static-only", arguments->options.static_only,
                    "prove only: run nothing on numbers");
  command->add_flag("--verify", arguments->options.verify,
                    "replay each certificate through the independent checker");
  command->add_flag("--relations", arguments->options.relations,
                    "report the relations of inner tensors too");
  command->callback([arguments, &exit] {
    arguments->options.timeout =
        std::chrono::milliseconds(static_cast<int64_t>(arguments->timeout_seconds * 1000));
    exit = run(*arguments);
  });
}

}  // namespace assay::cli
