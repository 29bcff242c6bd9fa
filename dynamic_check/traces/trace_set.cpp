#include "dynamic_check/traces/trace_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr int kLeastSamples = 3;

std::unique_ptr<TensorTrace> open(const std::filesystem::path& file) {
  return std::make_unique<TensorTrace>(file);
}

[[noreturn]] void fail(const TensorTrace& trace, const std::string& message,
                       const std::string& hint) {
  throw UserError({trace.file()}, message, hint);
}

void check_sequential(const TensorTrace& trace, const std::string& option) {
  if (trace.run().world_size == 1) return;
  fail(trace,
       fmt::format("this is rank {} of a run of {} ranks, and not of the sequential program",
                   trace.run().rank, trace.run().world_size),
       fmt::format("{} takes runs of the sequential program, --rank those of the ranks", option));
}

// Of the same inputs as the base.
void check_seed(const TensorTrace& trace, const TensorTrace& base) {
  const auto &own = trace.run().seed, &other = base.run().seed;
  if (!own || !other || *own == *other) return;
  fail(trace,
       fmt::format("its inputs have seed {}, those of {} seed {}", *own, base.file(), *other),
       "record all runs with the same inputs");
}

void check_precision(const TensorTrace& trace, DType precision, const TensorTrace& base) {
  if (trace.run().precision == precision) return;
  fail(trace,
       fmt::format("this run is in {}, that of {} in {}", to_string(trace.run().precision),
                   base.file(), to_string(base.run().precision)),
       fmt::format("give a run in {}", to_string(precision)));
}

}  // namespace

TraceSet::TraceSet(const TraceComparison& question) : base_(open(question.base)) {
  const DType precision = base_->run().precision;
  if (question.relations) check_sequential(*base_, "--base");
  if (!question.exact.empty()) {
    exact_ = open(question.exact);
    check_sequential(*exact_, "--exact");
    check_precision(*exact_, DType::kFloat64, *base_);
    check_seed(*exact_, *base_);
  }
  samples_ = open_perturbed(question.samples, question.relations.has_value());
  further_ = open_perturbed(question.further, question.relations.has_value());
  if (!question.bound && samples_.size() < kLeastSamples) {
    fail(*base_,
         fmt::format("a tolerance needs at least {} perturbed runs beside this one; there are {}",
                     kLeastSamples, samples_.size()),
         "give more with --sample; or name a relative error with --bound, for which no chance of a "
         "false alarm can be stated");
  }
  for (const auto& file : question.ranks) ranks_.push_back(open(file));
  for (const Trace& rank : ranks_) {
    check_precision(*rank, precision, *base_);
    check_seed(*rank, *base_);
  }
  if (question.relations) check_ranks(question);
  if (question.refinement) check_case(*question.refinement);
}

std::vector<TraceSet::Trace> TraceSet::open_perturbed(
    const std::vector<std::filesystem::path>& files, bool sequential) const {
  std::vector<Trace> traces;
  for (const auto& file : files) {
    const TensorTrace& sample = *traces.emplace_back(open(file));
    check_precision(sample, base_->run().precision, *base_);
    check_seed(sample, *base_);
    if (sequential) check_sequential(sample, "--sample");
  }
  return traces;
}

void TraceSet::check_ranks(const TraceComparison& question) {
  std::ranges::stable_sort(ranks_, {}, [](const Trace& trace) { return trace->run().rank; });
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const TraceRun& run = ranks_[i]->run();
    const TraceRun& first = ranks_.front()->run();
    if (run.world_size != first.world_size) {
      fail(*ranks_[i],
           fmt::format("this is a run of {} ranks, that of {} of {}", run.world_size,
                       ranks_.front()->file(), first.world_size),
           "give the ranks of one run");
    }
    if (i > 0 && run.rank == ranks_[i - 1]->run().rank) {
      fail(*ranks_[i], fmt::format("rank {} is in {} as well", run.rank, ranks_[i - 1]->file()),
           "give each rank once");
    }
    if (run.rank != static_cast<Rank>(i)) {
      fail(*ranks_[i], fmt::format("there is no trace of rank {} of {}", i, run.world_size),
           "give the traces of all ranks with --rank");
    }
  }
  const size_t needed = question.refinement ? question.refinement->ranks.size()
                                            : static_cast<size_t>(ranks_.front()->run().world_size);
  if (ranks_.size() == needed && ranks_.front()->run().world_size == static_cast<Rank>(needed))
    return;
  fail(*ranks_.back(),
       fmt::format("{} of {} ranks were recorded in a run of {}", ranks_.size(), needed,
                   ranks_.front()->run().world_size),
       "give the traces of all ranks of the case with --rank");
}

// Tensors of the sequential side that are both in the case and in the trace.
void TraceSet::check_case(const Case& refinement) const {
  for (const Tensor& tensor : refinement.sequential.tensors) {
    const TracedTensor* traced = base_->find(tensor.name);
    if (!traced || traced->shape == tensor.shape) continue;
    fail(*base_,
         fmt::format("tensor '{}' has shape {}, in the case it has {}", tensor.name,
                     to_string(traced->shape), to_string(tensor.shape)),
         "record the program of the case");
  }
}

at::Tensor TraceSet::read_like_base(TensorTrace& trace, const std::string& name) const {
  const TracedTensor* like = base_->find(name);
  const TracedTensor* own = trace.find(name);
  if (!own || !like) fail(trace, fmt::format("there is no tensor '{}'", name), "record it again");
  const bool same_type =
      own->dtype == like->dtype ||
      (&trace == exact_.get() && is_floating(own->dtype) && is_floating(like->dtype));
  if (!same_type || own->shape != like->shape) {
    fail(trace,
         fmt::format("tensor '{}' is {} {}, in {} it is {} {}", name, to_string(own->dtype),
                     to_string(own->shape), base_->file(), to_string(like->dtype),
                     to_string(like->shape)),
         "give runs of one program");
  }
  return trace.read(name);
}

}  // namespace assay
