#include <algorithm>
#include <fstream>

#include "shared_ir/case/case.h"
#include "shared_ir/import/fx_json/fx_json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw UserError({path.string()}, "cannot write this file");
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    constexpr char kHex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\u00";
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string list(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (size_t i = 0; i < texts.size(); ++i) result += (i ? ", " : "") + quoted(texts[i]);
  return result + "]";
}

std::string replicas(const std::vector<CleanExpr>& exprs) {
  std::vector<std::string> texts;
  for (const CleanExpr& expr : exprs) texts.push_back(to_string(expr));
  return list(texts);
}

std::string groups(const char* side, const Groups& all) {
  std::string text = std::string("\n[groups.") + side + "]\n";
  for (const auto& [id, ranks] : all) {
    text += quoted(id) + " = " + to_string(Shape(ranks.begin(), ranks.end())) + "\n";
  }
  return text;
}

// The graphs that are written have the sizes of one instance: so have the symbols.
std::string symbols(const Case& refinement) {
  std::string text = "\n[symbols]\n";
  for (const Symbol& symbol : refinement.symbols) {
    std::vector<std::string> constraints;
    for (const Constraint& constraint : symbol.constraints) constraints.push_back(constraint.text);
    const std::string here =
        symbol.name + " == " + std::to_string(refinement.instance.at(symbol.name));
    if (std::find(constraints.begin(), constraints.end(), here) == constraints.end())
      constraints.push_back(here);
    text += symbol.name + " = " + list(constraints) + "\n";
  }
  return text;
}

std::string case_toml(const Case& refinement, const std::vector<std::string>& rank_files,
                      const std::vector<std::string>& operator_files,
                      const std::vector<std::string>& lemma_files) {
  std::string text = "version = 1\nname = " + quoted(refinement.name) +
                     "\n\n[sequential]\ngraphs = [\"sequential.json\"]\n" +
                     "\n[distributed]\ngraphs = " + list(rank_files) + "\n" +
                     groups("sequential", refinement.sequential_groups) +
                     groups("distributed", refinement.distributed_groups);
  if (!refinement.symbols.empty()) text += symbols(refinement);
  text += "\n[inputs]\n";
  for (const Relation& relation : refinement.inputs) {
    text += quoted(relation.tensor) + " = " + replicas(relation.replicas) + "\n";
  }
  text += "\n[check]\noutputs = " + list(refinement.outputs) + "\n";
  if (refinement.allow_scale) text += "allow_scale = true\n";
  if (refinement.exact) text += "exact = true\n";
  if (!refinement.self_made.empty()) text += "self_made = " + list(refinement.self_made) + "\n";
  text += "\n[expect]\n";
  for (const Expectation& expectation : refinement.expect) {
    text += quoted(to_string(expectation.sequential, Leaves::kSequential)) + " = " +
            replicas(expectation.replicas) + "\n";
  }
  if (refinement.accept) {
    text += "\n[accept]\nunproved = " + list(refinement.accept->tensors) +
            "\nreason = " + quoted(refinement.accept->reason) + "\n";
  }
  for (const Approximation& accepted : refinement.approximations) {
    text += "\n[[accept.approximation]]\ntensor = " + quoted(accepted.tensor) +
            "\nrelation = " + replicas(accepted.replicas) +
            "\nreason = " + quoted(accepted.reason) + "\n";
  }
  if (!refinement.random_agrees || refinement.no_target_ignored ||
      !refinement.never_ignored.empty())
    text += "\n[assume]\n";
  if (!refinement.random_agrees) text += "random = \"independent\"\n";
  if (refinement.no_target_ignored) text += "ignored_targets = \"none\"\n";
  if (!refinement.never_ignored.empty())
    text += "never_ignored = " + list(refinement.never_ignored) + "\n";
  if (!operator_files.empty()) text += "\n[operators]\nfiles = " + list(operator_files) + "\n";
  if (!lemma_files.empty()) text += "\n[lemmas]\nfiles = " + list(lemma_files) + "\n";
  if (refinement.known) {
    text += "\n[verdict]\nstatic = " + quoted(refinement.known->verdict) + "\n";
    if (!refinement.known->at.empty()) text += "at = " + list(refinement.known->at) + "\n";
  }
  return text;
}

// Copies the files into the folder; their names there.
std::vector<std::string> copy_files(const std::vector<fs::path>& files, const fs::path& folder,
                                    const std::string& name) {
  std::vector<std::string> copied;
  for (const fs::path& file : files) {
    copied.push_back(name + std::to_string(copied.size()) + ".toml");
    std::error_code error;
    fs::copy_file(file, folder / copied.back(), fs::copy_options::overwrite_existing, error);
    if (error) throw UserError({file.string()}, "cannot copy this file: " + error.message());
  }
  return copied;
}

}  // namespace

void save_case(const Case& refinement, const std::filesystem::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError({folder.string()}, "cannot make this folder: " + error.message());
  write(folder / "sequential.json", to_fx_json(refinement.sequential, 0));
  std::vector<std::string> rank_files;
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
    rank_files.push_back("rank" + std::to_string(rank) + ".json");
    write(folder / rank_files.back(), to_fx_json(refinement.ranks[rank], static_cast<Rank>(rank)));
  }
  const auto operator_files = copy_files(refinement.operator_files, folder, "operators");
  const auto lemma_files = copy_files(refinement.lemma_files, folder, "lemmas");
  write(folder / "case.toml", case_toml(refinement, rank_files, operator_files, lemma_files));
}

}  // namespace assay
