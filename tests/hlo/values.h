#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace assay::test {

/// A program in HLO text of one entry, and what XLA computes for some inputs: a line of a file that
/// record/record.py wrote.
struct HloValues {
  struct Run {
    std::map<std::string, std::vector<double>> inputs;  // by parameter
    std::vector<double> values;
  };

  std::string text;
  std::string type;      // of the result, by HLO's name
  std::string coarsest;  // floating type of the text, or the result's: the one that rounds most
  int64_t ranks = 1;     // that run it together, where there are several: `runs` are theirs
  std::vector<Run> runs;
  std::string twin;                              // the text with one thing changed; may be empty
  std::vector<std::vector<double>> twin_values;  // per run
  std::string coarsest_of_both;                  // of the text and its twin
};

/// The files of this folder, or those that ASSAY_HLO_VALUES names, with colons between them.
std::vector<std::filesystem::path> hlo_values_files();

void for_each_hlo_values(const std::function<void(const HloValues&)>& visit);

/// A program and its numbers, to be read.
std::string text_of(const HloValues& recorded);

/// Whether two results of that type are the same: floating ones up to what the type rounds,
/// integers modulo its range.
bool same_hlo_value(double one, double other, const std::string& type);

/// Whether they are other ones beyond any doubt; not where one is no number, or not finite.
bool other_hlo_value(double one, double other, const std::string& type);

}  // namespace assay::test
