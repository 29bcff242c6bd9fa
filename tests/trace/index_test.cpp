// trace.json: every refusal, with its message.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/trace/trace_file.h"

namespace assay::test {
namespace {

constexpr const char* kRun =
    R"("assay_trace":1,"program":"p","rank":0,"world_size":2,"precision":"float32")";
constexpr const char* kTensor = R"({"name":"x","dtype":"float32","shape":[2],"data":"data/0"})";
constexpr const char* kAgain = "\n  hint: record the trace again";

// Of a trace with this trace.json; x has eight bytes.
std::string error_of_json(const std::string& json) {
  return error_of(archive_of({{"data/0", std::string(kDataOfX)}, {"trace.json", json}}));
}

std::string error_of_run(const std::string& run, const std::string& tensors = kTensor) {
  return error_of_json(fmt::format(R"({{{},"tensors":[{}]}})", run, tensors));
}

std::string error_of_tensor(const std::string& tensor) { return error_of_run(kRun, tensor); }

// kRun or kTensor, with one part replaced.
std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

TEST(TraceIndex, IsAcceptedWithAndWithoutOptionalKeys) {
  EXPECT_EQ(error_of_run(kRun), "accepted");
  EXPECT_EQ(error_of_run(std::string(kRun) + R"(,"seed":3,"producer":"q")"), "accepted");
  EXPECT_EQ(error_of_tensor(with(kTensor, "{", R"({"op":"o","source":"s",)")), "accepted");
}

TEST(TraceIndex, IsJson) {
  EXPECT_EQ(error_of_json(R"({"assay_trace":1,)").substr(0, 31), "a.trace: trace.json is no JSON:");
  EXPECT_EQ(error_of_json("{\"assay_trace\":1,\"program\":\"\xff\"}").substr(0, 31),
            "a.trace: trace.json is no JSON:");
  EXPECT_EQ(error_of_json(std::string(100'000, '[')).substr(0, 31),
            "a.trace: trace.json is no JSON:");
}

TEST(TraceIndex, OfANewerVersionIsNotRead) {
  EXPECT_EQ(error_of_json(R"({"assay_trace":2,"layers":[]})"),
            "a.trace: this trace has version 2; this Assay reads version 1\n  hint: update Assay, "
            "or record the trace with its own recorder");
}

TEST(TraceIndex, HasAVersion) {
  for (const char* json :
       {"[]", "{}", R"({"assay_trace":0})", R"({"assay_trace":"1"})", R"({"assay_trace":1.5})"}) {
    EXPECT_EQ(error_of_json(json), std::string("a.trace: trace.json is not of a trace: it has no "
                                               "version \"assay_trace\"") +
                                       kAgain)
        << json;
  }
}

TEST(TraceIndex, HasItsKeysAndNoOthers) {
  const auto message = [](const std::string& what) { return "a.trace: " + what + kAgain; };
  for (const char* key : {"program", "rank", "world_size", "precision"}) {
    EXPECT_EQ(error_of_run(with(kRun, key, "odd")),
              message("trace.json has the unknown key \"odd\""));
  }
  EXPECT_EQ(error_of_run(with(kRun, R"("rank":0,)", "")), message("trace.json has no \"rank\""));
  EXPECT_EQ(error_of_run(with(kRun, "rank", "program")),
            message("trace.json has \"program\" twice"));
  EXPECT_EQ(error_of_tensor(with(kTensor, "{", R"({"device":"cpu",)")),
            message("tensor number 0 has the unknown key \"device\""));
  EXPECT_EQ(error_of_tensor(with(kTensor, R"("shape":[2],)", "")),
            message("tensor number 0 has no \"shape\""));
  EXPECT_EQ(error_of_tensor("[]"), message("tensor number 0 is no object"));
  EXPECT_EQ(error_of_tensor(std::string(kTensor) + ",7"), message("tensor number 1 is no object"));
}

TEST(TraceIndex, HasValuesOfTheirTypes) {
  const auto message = [](const std::string& what) { return "a.trace: " + what + kAgain; };
  EXPECT_EQ(error_of_run(with(kRun, "\"p\"", "1")),
            message("trace.json has \"program\", which is no text"));
  for (const char* rank : {"\"0\"", "0.0", "2147483648", "null"}) {
    EXPECT_EQ(error_of_run(with(kRun, "0", rank)),
              message("trace.json has \"rank\", which is no number of a rank"));
  }
  EXPECT_EQ(error_of_run(std::string(kRun) + R"(,"seed":-1)"),
            message("trace.json has \"seed\", which is no count"));
  EXPECT_EQ(error_of_json(fmt::format(R"({{{},"tensors":{{}}}})", kRun)),
            message("trace.json has \"tensors\", which is no list"));
  EXPECT_EQ(error_of_tensor(with(kTensor, "[2]", "2")),
            message("tensor 'x' has \"shape\", which is no list"));
}

TEST(TraceIndex, RanksAreThoseOfTheRun) {
  for (const char* rank : {"2", "-1"}) {
    EXPECT_EQ(error_of_run(with(kRun, "0", rank)),
              fmt::format("a.trace: there is no rank {} in a run of 2 ranks\n  hint: ranks count "
                          "from 0",
                          rank));
  }
}

TEST(TraceIndex, DTypesAreKnown) {
  constexpr const char* kKnown =
      "\n  hint: Assay knows bool, uint8, uint16, uint32, int8, int16, int32, int64, "
      "float8_e4m3fn, float8_e5m2, float16, bfloat16, float32, float64";
  EXPECT_EQ(error_of_tensor(with(kTensor, "float32", "complex64")),
            std::string("a.trace: tensor 'x' has unknown dtype 'complex64'") + kKnown);
  EXPECT_EQ(error_of_tensor(with(kTensor, "float32", "torch.float32")),
            std::string("a.trace: tensor 'x' has unknown dtype 'torch.float32'") + kKnown);
  EXPECT_EQ(error_of_run(with(kRun, "float32", "tf32")),
            std::string("a.trace: trace.json has unknown dtype 'tf32'") + kKnown);
}

TEST(TraceIndex, ShapesArePossible) {
  for (const char* shape :
       {"[-1]", "[2, -2]", "[4294967296, 4294967296]", "[1152921504606846977]"}) {
    EXPECT_EQ(error_of_tensor(with(kTensor, "[2]", shape)),
              fmt::format("a.trace: tensor 'x' has impossible shape {}\n  hint: sizes are not "
                          "negative, and a tensor has at most 2^60 elements",
                          shape));
  }
  for (const char* shape : {"[2.0]", "[\"s0\"]", "[9223372036854775808]"}) {
    EXPECT_EQ(error_of_tensor(with(kTensor, "[2]", shape)),
              std::string("a.trace: tensor 'x' has a size that is no integer") + kAgain);
  }
}

TEST(TraceIndex, NamesAreLegalAndUnique) {
  EXPECT_EQ(error_of_tensor(std::string(kTensor) + "," + with(kTensor, "data/0", "data/1")),
            std::string("a.trace: there are two tensors 'x'") + kAgain);
  EXPECT_EQ(error_of_tensor(with(kTensor, "\"x\"", "\"x y\"")),
            "a.trace: 'x y' cannot name a tensor\n  hint: use letters, digits and _ . - :");
}

}  // namespace
}  // namespace assay::test
