// The corpora of the fuzz targets, and what fuzzing found, without libFuzzer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {
namespace {

struct Target {
  std::string name;
  std::function<void(std::string_view)> run;
};

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, IsReadOrRefusedByAnErrorOfTheUser) {
  const char* source = std::getenv("ASSAY_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "run the tests by ctest";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(source) / "tests/fuzz/corpus" / GetParam().name)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    try {
      succeeds([&] { GetParam().run(bytes); });
    } catch (const std::exception& error) {
      ADD_FAILURE() << entry.path() << ": " << error.what();
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Fuzz, Corpus,
    testing::Values(Target{"case_file", case_file}, Target{"clean_expression", clean_expression},
                    Target{"declaration", declaration}, Target{"fx_json", fx_json},
                    Target{"hlo", hlo}, Target{"lemma_file", lemma_file},
                    Target{"lowering", lowering}, Target{"pt2", pt2},
                    Target{"refinement", refinement}, Target{"relation", relation},
                    Target{"report", report}, Target{"trace", trace}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace assay::fuzz
