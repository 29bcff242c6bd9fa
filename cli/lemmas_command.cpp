#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "static_check/certify/certify.h"
#include "static_check/lemmas/shipped_lemmas.h"

namespace assay::cli {
namespace {

struct LemmasArguments {
  bool certify = false;
  double timeout_seconds = 10;
  std::vector<std::string> files;
};

void list_lemmas(const LemmaTable& table) {
  for (const Lemma& lemma : table.lemmas()) {
    std::cout << lemma.name << ": " << to_string(lemma.left) << " = " << to_string(lemma.right);
    for (size_t i = 0; i < lemma.conditions.size(); ++i)
      std::cout << (i == 0 ? " where " : ", ") << to_string(lemma.conditions[i]);
    std::cout << "\n";
  }
}

// 0: all are certified; 1: some are not.
int certify_all(const LemmaTable& table, const LemmasArguments& arguments) {
  CertifyOptions options;
  options.limit = std::chrono::milliseconds(static_cast<int64_t>(arguments.timeout_seconds * 1000));
  std::vector<Certification> results;
  for (const Lemma& lemma : table.lemmas()) results.push_back(certify(lemma, options));
  std::cout << to_text(results);
  return std::all_of(results.begin(), results.end(),
                     [](const Certification& one) { return one.certified(); })
             ? 0
             : 1;
}

}  // namespace

void add_lemmas_command(CLI::App& app, int& exit) {
  auto* command = app.add_subcommand("lemmas", "List the lemmas, or certify them");
  auto arguments = std::make_shared<LemmasArguments>();
  command->add_option("FILE", arguments->files,
                      "lemma files (TOML), instead of those that ship with Assay");
  command->add_flag("--certify", arguments->certify,
                    "show each one by z3 on small shapes and by numbers on random ones");
  command->add_option("--timeout", arguments->timeout_seconds, "seconds for one question to z3")
      ->check(CLI::Range(0.001, 1e6));
  command->callback([arguments, &exit] {
    LemmaTable table;
    if (arguments->files.empty()) table = builtin_lemmas();
    for (const std::string& file : arguments->files) table.add_file(file);
    if (arguments->certify)
      exit = certify_all(table, *arguments);
    else
      list_lemmas(table);
  });
}

}  // namespace assay::cli
