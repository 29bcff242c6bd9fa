// calibration: error rates of the dynamic layer, measured on the correct fixtures.
//   clean runs    how many correct programs are called wrong, with the 95 % upper bound of that
//                 rate, and how far tensors lie from what the tolerance's model predicts
//   power         how large an error of one operator must be to be caught
// Everything is drawn by --seed; the same call prints the same counts.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <fstream>
#include <limits>

#include "bench/calibration/clean_runs.h"
#include "bench/calibration/power.h"
#include "dynamic_check/check.h"
#include "dynamic_check/tolerance/tolerance.h"
#include "fixtures/catalog.h"
#include "shared_ir/base/error.h"
#include "shared_ir/report/chart.h"

namespace assay::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  int64_t runs = 1000;
  int64_t seconds = 0;
  int doublings = 12;
  int draws = 20;
  uint64_t seed = 1;
  std::vector<std::string> fixtures;
  std::vector<std::string> precisions{"float32", "bfloat16", "float16", "float8_e4m3fn",
                                      "float8_e5m2"};
  std::string json;
  std::string plot;
};

constexpr std::array<double, 4> kQuantiles = {0.5, 0.9, 0.99, 0.999};
constexpr double kConfidence = 0.95;
constexpr double kLargeError = 64;  // from here on what is missed is printed

std::vector<RefinementSpec> chosen(const std::vector<std::string>& names) {
  std::vector<RefinementSpec> result;
  if (names.empty()) {
    result = fixtures::right_fixtures();
    for (RefinementSpec& spec : fixtures::wide_fixtures()) result.push_back(std::move(spec));
  }
  for (const std::string& name : names) result.push_back(fixtures::right_fixture(name));
  return result;
}

std::vector<DType> parsed(const std::vector<std::string>& names) {
  std::vector<DType> result;
  for (const std::string& name : names) {
    const auto dtype = parse_dtype(name);
    if (!dtype || !is_floating(*dtype))
      throw UserError({}, fmt::format("'{}' is no floating type", name), "float32, say");
    result.push_back(*dtype);
  }
  return result;
}

Json clean_json(const CleanRuns& clean) {
  Json json = {
      {"runs", clean.runs},
      {"alarms", clean.alarms.size()},
      {"alarm_rate_upper_bound",
       binomial_upper_bound(static_cast<int64_t>(clean.alarms.size()), clean.runs, kConfidence)},
      {"confidence", kConfidence},
      {"family_rate_of_the_model", DynamicOptions().family_rate},
      {"alarm", Json::array()},
      {"deviations", Json::array()}};
  for (const Alarm& alarm : clean.alarms)
    json["alarm"].push_back({{"fixture", alarm.fixture},
                             {"precision", to_string(alarm.precision)},
                             {"seed", alarm.seed},
                             {"why", alarm.why}});
  for (const Deviations& one : clean.deviations) {
    Json row = {{"precision", to_string(one.precision)}, {"tensors", one.measured.size()}};
    if (!one.measured.empty()) {
      row["allowed"] = one.allowed;
      row["largest"] = one.measured.back();
      for (const double p : kQuantiles)
        row["quantiles"].push_back({{"share", p},
                                    {"measured", quantile(one.measured, p)},
                                    {"predicted", normal_quantile((1 + p) / 2)}});
    }
    json["deviations"].push_back(row);
  }
  return json;
}

Json power_json(const std::vector<PowerCurve>& curves) {
  Json json = Json::array();
  for (const PowerCurve& curve : curves)
    for (const PowerPoint& point : curve.points)
      json.push_back({{"precision", to_string(curve.precision)},
                      {"error_in_unit_roundoffs", point.error},
                      {"injected", point.injected},
                      {"caught", point.caught},
                      {"named", point.named},
                      {"missed", point.missed}});
  return json;
}

void print(const Json& json) {
  const Json& clean = json.at("clean");
  fmt::print(
      "clean runs: {}, alarms: {}; with 95 % confidence at most {:.2e} of runs alarm (the "
      "model says {:.0e})\n",
      clean.at("runs").get<int64_t>(), clean.at("alarms").get<int64_t>(),
      clean.at("alarm_rate_upper_bound").get<double>(),
      clean.at("family_rate_of_the_model").get<double>());
  for (const Json& alarm : clean.at("alarm"))
    fmt::print("  ALARM {} {} seed {}: {}\n", alarm.at("fixture").get<std::string>(),
               alarm.at("precision").get<std::string>(), alarm.at("seed").get<uint64_t>(),
               alarm.at("why").get<std::string>());
  for (const Json& row : clean.at("deviations")) {
    fmt::print("{}: {} tensors", row.at("precision").get<std::string>(),
               row.at("tensors").get<int64_t>());
    if (row.contains("quantiles")) {
      fmt::print("; measured over predicted deviation (a normal distribution's)");
      for (const Json& one : row.at("quantiles"))
        fmt::print(", {}: {:.2f} ({:.2f})", one.at("share").get<double>(),
                   one.at("measured").get<double>(), one.at("predicted").get<double>());
      fmt::print(", largest {:.2f}, allowed {:.2f}", row.at("largest").get<double>(),
                 row.at("allowed").get<double>());
    }
    fmt::print("\n");
  }
  for (const Json& point : json.at("power")) {
    const auto error = point.at("error_in_unit_roundoffs").get<double>();
    const auto injected = point.at("injected").get<int64_t>();
    if (injected == 0) continue;
    fmt::print("power {}: error of {} unit roundoffs: {} of {} caught, {} named\n",
               point.at("precision").get<std::string>(), error, point.at("caught").get<int64_t>(),
               injected, point.at("named").get<int64_t>());
    if (error < kLargeError) continue;
    for (const Json& missed : point.at("missed"))
      fmt::print("  missed {}\n", missed.get<std::string>());
  }
}

Chart chart_of(const std::vector<PowerCurve>& curves) {
  Chart chart{.title = "Errors of one operator that are caught",
              .x_label = "error, in unit roundoffs of the precision",
              .y_label = "share",
              .y_ticks = quarters()};
  for (const PowerCurve& curve : curves) {
    Chart::Line line{std::string(to_string(curve.precision)), {}};
    for (size_t i = 0; i < curve.points.size(); ++i) {
      const PowerPoint& point = curve.points[i];
      if (chart.x_ticks.size() == i)
        chart.x_ticks.push_back({static_cast<double>(i), fmt::format("{}", point.error)});
      if (point.injected > 0)
        line.points.emplace_back(static_cast<double>(i), static_cast<double>(point.caught) /
                                                             static_cast<double>(point.injected));
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

void write(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw UserError({}, fmt::format("{} cannot be written", file));
}

int run(const Arguments& arguments) {
  const std::vector<RefinementSpec> specs = chosen(arguments.fixtures);
  const std::vector<DType> precisions = parsed(arguments.precisions);
  int64_t done = 0;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto progress = [&] {
    if (terminal) fmt::print(stderr, "\r{} runs", ++done);
  };
  const auto start = std::chrono::steady_clock::now();
  const auto goes_on = [&] {
    progress();
    return arguments.seconds == 0 ||
           std::chrono::steady_clock::now() - start < std::chrono::seconds(arguments.seconds);
  };
  const int64_t runs =
      arguments.seconds == 0 ? arguments.runs : std::numeric_limits<int64_t>::max();
  const CleanRuns clean = run_clean(specs, precisions, runs, arguments.seed, goes_on);
  const std::vector<PowerCurve> power = measure_power(specs, precisions, arguments.doublings,
                                                      arguments.draws, arguments.seed, progress);
  if (terminal) fmt::print(stderr, "\n");
  const Json json = {{"clean", clean_json(clean)}, {"power", power_json(power)}};
  print(json);
  if (!arguments.json.empty()) write(arguments.json, json.dump(2) + "\n");
  if (!arguments.plot.empty()) write(arguments.plot, to_svg(chart_of(power)));
  return clean.alarms.empty() ? 0 : 1;
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  CLI::App app("Error rates of the dynamic layer, measured on the correct fixtures.");
  assay::bench::Arguments arguments;
  app.add_option("--runs", arguments.runs, "clean runs, at least")
      ->check(CLI::Range(1, 100'000'000));
  app.add_option("--seconds", arguments.seconds,
                 "as many clean runs as take so long, instead of a number")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--doublings", arguments.doublings, "the largest injected error: 2^N roundoffs")
      ->check(CLI::Range(0, 60));
  app.add_option("--draws", arguments.draws, "injections of each size")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--seed", arguments.seed, "of everything that is drawn");
  app.add_option("--fixture", arguments.fixtures, "these fixtures only");
  app.add_option("--precision", arguments.precisions,
                 "float32, bfloat16, float16 and both of float8 by default");
  app.add_option("--json", arguments.json, "write the counts as JSON");
  app.add_option("--plot", arguments.plot, "write the power curve as SVG");
  CLI11_PARSE(app, argc, argv);
  try {
    return assay::bench::run(arguments);
  } catch (const assay::UserError& error) {
    std::fprintf(stderr, "calibration: %s\n", error.what());
    return 2;
  }
}
