// deep_bench: what one dynamic check of a deep language model on two ranks costs, beside the bare
// runs of its programs in the same process.
//   time      of the check, over that of the program runs that it needs, and over that of one
//             sequential and one distributed run; and of the first check of the process, to which
//             the system gives the memory that later ones use again
//   phases    (--phases) of the first check: where its time goes
//   memory    (--memory) at the peak of the check, over that at the peak of the bare runs; and the
//             difference of the two in multiples of what one layer's operators give
#include <fmt/format.h>
#include <malloc.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <ctime>
#include <map>
#include <optional>
#include <string>

#include "bench/bare_runs.h"
#include "bench/peak_memory.h"
#include "bench/question.h"
#include "fixtures/catalog.h"

namespace assay::bench {
namespace {

struct DeepArguments {
  int64_t layers = 24, hidden = 512, tokens = 512;
  int samples = 10, repetitions = 1;
  std::optional<int64_t> copy_memory;  // MiB
  bool memory = false, phases = false;
  std::string precision = "float32";
};

struct Cost {
  double seconds = 0;
  double cpu = 0;     // seconds of all threads: what other programs take counts less
  int64_t bytes = 0;  // at the peak
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void add(Cost& cost, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  cost.bytes = std::max(cost.bytes, peak_bytes(work));
  cost.cpu += cpu_seconds() - cpu;
  cost.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Adds up the time of the processor by phase.
class Phases {
 public:
  ProgressSink sink() {
    return [this](std::string_view phase, int64_t, int64_t) {
      close();
      phase_ = phase;
    };
  }

  void print() {
    close();
    for (const auto& [phase, seconds] : seconds_)
      fmt::print("  {:<32} {:6.2f} s\n", phase, seconds);
  }

 private:
  void close() {
    const double now = cpu_seconds();
    seconds_[phase_] += now - begin_;
    begin_ = now;
  }

  std::string phase_ = "before the first run";
  double begin_ = cpu_seconds();
  std::map<std::string, double> seconds_;
};

// Bytes of what the sequential operators give, by layer on average.
double layer_bytes(const Graph& graph, int64_t layers) {
  double bytes = 0;
  for (const Tensor& tensor : graph.tensors)
    bytes += static_cast<double>(element_count(tensor.shape)) *
             static_cast<double>(byte_size(tensor.dtype));
  return bytes / static_cast<double>(layers);
}

int print_memory(const Cost& check, const Cost& bare, double layer) {
  constexpr double kMega = 1e6;
  fmt::print("memory at the peak: check {:.0f} MB, bare runs {:.0f} MB; one layer {:.0f} MB\n",
             static_cast<double>(check.bytes) / kMega, static_cast<double>(bare.bytes) / kMega,
             layer / kMega);
  fmt::print("  over_bare_runs {:.2f}, layers_beyond {:.1f}\n",
             static_cast<double>(check.bytes) / static_cast<double>(bare.bytes),
             static_cast<double>(check.bytes - bare.bytes) / layer);
  return 0;
}

int run(const DeepArguments& arguments) {
  // The allocator keeps small and middling blocks that were freed: then the peak is not of what is
  // in use. Without that, time is no measure.
  constexpr int kReturnedAtOnce = 128 << 10;
  if (arguments.memory) mallopt(M_MMAP_THRESHOLD, kReturnedAtOnce);
  const RefinementSpec spec =
      fixtures::wide_language_model(arguments.layers, arguments.hidden, arguments.tokens);
  const auto precision = parse_dtype(arguments.precision);
  if (!precision)
    throw UserError({}, "there is no precision " + arguments.precision, "float32, say");
  Question question(spec, *precision);
  question.options.samples = arguments.samples;
  if (arguments.copy_memory) question.options.copy_memory = *arguments.copy_memory << 20;
  question.options.timeout = std::chrono::minutes(30);
  const BareRuns bare(question.refinement, question.programs, question.options);
  bare.one_each();  // the first run pays for what LibTorch sets up
  Cost first, check, needed, one_each;
  DynamicReport report;
  if (!arguments.memory) {
    Phases phases;
    if (arguments.phases) question.options.progress = phases.sink();
    add(first, [&] { question.check(); });
    if (arguments.phases) phases.print();
    question.options.progress = {};
  }
  for (int i = 0; i < arguments.repetitions; ++i) {
    add(check, [&] { report = question.check(); });
    add(needed, [&] { bare.all_needed(); });
    add(one_each, [&] { bare.one_each(); });
  }
  if (report.verdict != RunVerdict::kAgrees) throw InternalError(why_not(report));
  const double layer = layer_bytes(question.refinement.sequential, arguments.layers);
  fmt::print("{} in {}: {} sequential operators, {} tensors compared, {} samples\n", spec.name,
             arguments.precision, question.refinement.sequential.nodes.size(), report.compared,
             arguments.samples);
  if (arguments.memory) return print_memory(check, needed, layer);
  fmt::print("time: check {:.1f} s, runs that it needs {:.1f} s, one run each {:.1f} s\n",
             check.seconds, needed.seconds, one_each.seconds);
  fmt::print("  over_needed_runs {:.2f}, over_one_run_each {:.2f}\n",
             check.seconds / needed.seconds, check.seconds / one_each.seconds);
  fmt::print("  the same in time of the processor: {:.2f}, {:.2f}\n", check.cpu / needed.cpu,
             check.cpu / one_each.cpu);
  fmt::print("  the first check {:.1f} s, over_needed_runs {:.2f}\n", first.seconds,
             first.seconds * arguments.repetitions / needed.seconds);
  return 0;
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  CLI::App app("What a dynamic check of a deep language model costs.");
  assay::bench::DeepArguments arguments;
  app.add_option("--layers", arguments.layers)->check(CLI::Range(1, 1000));
  app.add_option("--hidden", arguments.hidden, "a multiple of 128");
  app.add_option("--tokens", arguments.tokens, "in a batch of two");
  app.add_option("--samples", arguments.samples)->check(CLI::Range(3, 1000));
  app.add_option("--repetitions", arguments.repetitions)->check(CLI::Range(1, 1000));
  app.add_option("--copy-memory", arguments.copy_memory,
                 "MiB of memory that recorded tensors may take");
  app.add_flag("--memory", arguments.memory, "measure memory instead of time");
  app.add_flag("--phases", arguments.phases, "print where the time of the first check goes");
  app.add_option("--precision", arguments.precision);
  CLI11_PARSE(app, argc, argv);
  try {
    return assay::bench::run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deep_bench: %s\n", error.what());
    return 2;
  }
}
