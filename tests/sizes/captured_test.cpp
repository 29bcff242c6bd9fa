// Captured programs with one of their sizes made a symbol.
#include <gtest/gtest.h>
#include <fstream>
#include <regex>

#include "static_check/symbolic/all_sizes.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/scratch_folder.h"

namespace assay::test {
namespace {

// Where a captured graph says the number, what it is over s0.
struct Size {
  const char* number;  // a regular expression
  const char* over_s0;
};

// The captured case with symbol s0, but in the node `kept`.
class Symbolised {
 public:
  Symbolised(const std::filesystem::path& source, std::vector<Size> sizes, std::string kept,
             const std::string& constraint)
      : sizes_(std::move(sizes)), kept_("\"name\":\"" + kept + "\"") {
    for (const auto& entry : std::filesystem::directory_iterator(source)) {
      std::ifstream file(entry.path());
      std::ofstream written(path() / entry.path().filename());
      for (std::string line; std::getline(file, line);) {
        if (line == "[inputs]") written << "[symbols]\ns0 = [\"" << constraint << "\"]\n\n";
        written << (entry.path().extension() == ".json" ? symbolised(line) : line) << "\n";
      }
    }
  }

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  // A line is a node. Sizes in shapes are texts, in arguments objects.
  std::string symbolised(const std::string& line) const {
    if (line.find(kept_) != std::string::npos) return line;
    return between(between(line, "\"args\":", "\"kwargs\":", "{\"sym\":\"", "\"}"),
                   "\"shape\":", "]", "\"", "\"");
  }

  std::string between(const std::string& line, const char* first, const char* last,
                      const std::string& open, const std::string& close) const {
    const size_t begin = line.find(first), end = line.find(last, begin);
    if (begin == std::string::npos || end == std::string::npos) return line;
    std::string part = line.substr(begin, end + 1 - begin);
    for (const Size& size : sizes_)
      part = std::regex_replace(part, std::regex(size.number), open + size.over_s0 + close);
    return line.substr(0, begin) + part + line.substr(end + 1);
  }

  std::vector<Size> sizes_;
  std::string kept_;
  ScratchFolder folder_;
};

void expect_proved_for_all(const std::filesystem::path& folder) {
  const StaticReport report = check_all_sizes(folder, {}).result.report;
  EXPECT_EQ(report.verdict, Verdict::kProved);
  ASSERT_TRUE(report.sizes);
  EXPECT_TRUE(report.sizes->all) << report.sizes->why;
}

}  // namespace

// Tensor parallel, with the vocabulary of the embedding over the ranks. The table of positions
// keeps its rows.
TEST(SizesOfCapturedPrograms, Qwen2IsProvedForAnyNumberOfTokens) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Symbolised folder(captured_graphs() / "qwen2-tp2", {{"\\b32768\\b", "s0"}}, "arg5_1",
                          "s0 >= 1");
  expect_proved_for_all(folder.path());
}

// Tensor and sequence parallel, with dropout and the loss over the vocabulary's parts.
TEST(SizesOfCapturedPrograms, GptIsProvedForAnyBatch) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  // 96 is a rank's heads and batch where it comes first or in the middle, a head's width at the
  // end.
  const Symbolised folder(captured_graphs() / "gpt-tp2-l1",
                          {{"\\b8\\b", "s0"},
                           {"\\b12288\\b", "1536*s0"},
                           {"\\b6144\\b", "768*s0"},
                           {"\\b192\\b", "24*s0"},
                           {"\\b96(?=,)", "12*s0"}},
                          "", "s0 >= 1");
  expect_proved_for_all(folder.path());
}

}  // namespace assay::test
