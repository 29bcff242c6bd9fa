#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace assay::test {

/// A program in HLO text of one entry, and what XLA computes for some inputs: a line of a file that
/// shared_ir/hlo_values/record.py wrote.
struct HloValues {
  struct Run {
    std::map<std::string, std::vector<double>> inputs;  // by parameter
    std::vector<double> values;
  };

  std::string text;
  std::string type;      // of the result, by HLO's name
  std::string coarsest;  // floating type of the text, or the result's: the one that rounds most
  std::vector<Run> runs;
  std::string twin;                              // the text with one thing changed; may be empty
  std::vector<std::vector<double>> twin_values;  // per run
};

/// tests/shared_ir/hlo_values.jsonl, or the file that ASSAY_HLO_VALUES names.
std::filesystem::path hlo_values_file();

/// Whether it was named: a full run, which prints what it has seen.
bool hlo_values_asked();

void for_each_hlo_values(const std::function<void(const HloValues&)>& visit);

/// Whether two results of that type are the same: floating ones up to what the type rounds,
/// integers modulo its range.
bool same_hlo_value(double one, double other, const std::string& type);

/// Whether they are other ones beyond any doubt; not where one is no number, or not finite.
bool other_hlo_value(double one, double other, const std::string& type);

}  // namespace assay::test
