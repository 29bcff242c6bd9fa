// kernel_bench: the kernels of the GPU against its copy bandwidth, both counted in bytes that are
// read or written. Each figure is the median of several replays of a CUDA graph of launches over
// changing buffers, more of them than the L2 cache holds. Exit code 0: each at least --goal of a
// copy; 1: not; 77: no GPU.
#include <ATen/core/Tensor.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <vector>

#include "dynamic_check/cuda/cuda.h"
#include "dynamic_check/numbers/numbers.h"
#include "shared_ir/base/error.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMebi = int64_t{1} << 20;
constexpr int64_t kBeyondCache = 256 * kMebi;
constexpr int kNoGpu = 77;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw InternalError(cudaGetErrorString(status));
}

class DeviceMemory {
 public:
  explicit DeviceMemory(int64_t bytes) { check(cudaMalloc(&data_, static_cast<size_t>(bytes))); }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  char* at(int64_t byte) const { return static_cast<char*>(data_) + byte; }

 private:
  void* data_ = nullptr;
};

// Pairs of buffers of one size, in turn.
class Buffers {
 public:
  explicit Buffers(int64_t bytes)
      : bytes_(bytes),
        pairs_(std::max<int64_t>(2, kBeyondCache / bytes)),
        memory_(2 * bytes * pairs_) {}

  // With normally distributed numbers.
  void fill(DType dtype) {
    const int64_t some = kMebi / static_cast<int64_t>(byte_size(dtype));
    const at::Tensor numbers = normal_tensor({1, "numbers"}, {some}).to(to_scalar_type(dtype));
    check(cudaMemcpy(memory_.at(0), numbers.const_data_ptr(), kMebi, cudaMemcpyHostToDevice));
    for (int64_t filled = kMebi, all = 2 * bytes_ * pairs_; filled < all; filled *= 2)
      check(cudaMemcpy(memory_.at(filled), memory_.at(0),
                       static_cast<size_t>(std::min(filled, all - filled)),
                       cudaMemcpyDeviceToDevice));
  }

  int64_t pairs() const { return pairs_; }
  int64_t bytes() const { return bytes_; }
  char* first(int64_t pair) const { return memory_.at(2 * bytes_ * pair); }
  char* second(int64_t pair) const { return first(pair) + bytes_; }

 private:
  const int64_t bytes_, pairs_;
  const DeviceMemory memory_;
};

using Work = std::function<void(int64_t pair, cudaStream_t)>;

// Microseconds of one call of `work`.
double time_of(int64_t pairs, const Work& work) {
  constexpr int kReplays = 7;
  const int64_t calls = std::max<int64_t>(pairs, 8);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int64_t i = 0; i < 2; ++i) work(i % pairs, stream);
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int64_t i = 0; i < calls; ++i) work(i % pairs, stream);
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t replay = nullptr;
  check(cudaGraphInstantiate(&replay, graph, 0));
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaGraphLaunch(replay, stream));
  std::vector<float> times;
  for (int i = 0; i < kReplays; ++i) {
    check(cudaEventRecord(begin, stream));
    check(cudaGraphLaunch(replay, stream));
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&times.emplace_back(), begin, end));
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaGraphExecDestroy(replay));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  std::nth_element(times.begin(), times.begin() + kReplays / 2, times.end());
  return 1000.0 * times[kReplays / 2] / static_cast<double>(calls);
}

// A copy of one buffer reads and writes as much as a kernel that reads both.
double copy_time(const Buffers& buffers) {
  return time_of(buffers.pairs(), [&](int64_t pair, cudaStream_t stream) {
    check(cudaMemcpyAsync(buffers.second(pair), buffers.first(pair),
                          static_cast<size_t>(buffers.bytes()), cudaMemcpyDeviceToDevice, stream));
  });
}

double norms_time(const Buffers& buffers, DType dtype) {
  const int64_t elements = buffers.bytes() / static_cast<int64_t>(byte_size(dtype));
  return time_of(buffers.pairs(), [&](int64_t pair, cudaStream_t stream) {
    cuda::launch_block_sums({buffers.first(pair), dtype}, {buffers.second(pair), dtype}, elements,
                            block_size(elements), stream);
  });
}

double noise_time(const Buffers& buffers, DType dtype) {
  const int64_t elements = buffers.bytes() / static_cast<int64_t>(byte_size(dtype));
  return time_of(buffers.pairs(), [&](int64_t pair, cudaStream_t stream) {
    cuda::launch_noise(buffers.first(pair), buffers.second(pair), dtype, elements, 0x1p-12, 7,
                       stream);
  });
}

Json row_of(const char* kernel, DType dtype, const Buffers& buffers, double copy, double time) {
  const double bytes = 2 * static_cast<double>(buffers.bytes());
  const auto rate = [&](double microseconds) { return bytes / microseconds / 1000; };
  fmt::print("{:<6} {:<14} {:>5} MiB: {:8.1f} GB/s, copy {:8.1f} GB/s, {:.2f} of it\n", kernel,
             to_string(dtype), buffers.bytes() / kMebi, rate(time), rate(copy), copy / time);
  std::fflush(stdout);
  return {{"kernel", kernel},       {"dtype", to_string(dtype)},   {"mib", buffers.bytes() / kMebi},
          {"gb_per_s", rate(time)}, {"copy_gb_per_s", rate(copy)}, {"of_copy", copy / time}};
}

int run(const std::vector<int64_t>& sizes, double goal, const std::string& file) {
  if (usable_gpus() == 0) {
    fmt::print("no GPU\n");
    return kNoGpu;
  }
  Json rows = Json::array();
  for (const int64_t size : sizes) {
    Buffers buffers(size * kMebi);
    for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kBFloat16, DType::kFloat16,
                              DType::kFloat8E4M3, DType::kFloat8E5M2}) {
      buffers.fill(dtype);
      const double copy = copy_time(buffers);
      rows.push_back(row_of("norms", dtype, buffers, copy, norms_time(buffers, dtype)));
      if (cuda::has_noise(dtype))
        rows.push_back(row_of("noise", dtype, buffers, copy, noise_time(buffers, dtype)));
    }
  }
  const auto least = std::ranges::min_element(
      rows, {}, [](const Json& row) { return row.at("of_copy").get<double>(); });
  const double worst = least->at("of_copy").get<double>();
  fmt::print("worst={:.2f} goal={:.2f} ({} {} {} MiB)\n", worst, goal,
             least->at("kernel").get<std::string>(), least->at("dtype").get<std::string>(),
             least->at("mib").get<int64_t>());
  if (!file.empty()) {
    std::ofstream stream(file);
    stream << Json{{"goal", goal}, {"worst", worst}, {"rows", rows}}.dump(1) << "\n";
    if (!stream.flush()) throw UserError({}, file + " cannot be written");
  }
  return worst >= goal ? 0 : 1;
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  CLI::App app("The kernels of the GPU against its copy bandwidth.");
  std::vector<int64_t> sizes = {1, 16, 256, 1024};
  double goal = 0.85;
  std::string json;
  app.add_option("--mib", sizes, "sizes of one operand, in MiB")->check(CLI::Range(1, 16384));
  app.add_option("--goal", goal, "the least share of a copy's bandwidth");
  app.add_option("--json", json, "write the figures as JSON");
  CLI11_PARSE(app, argc, argv);
  try {
    return assay::bench::run(sizes, goal, json);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernel_bench: %s\n", error.what());
    return 2;
  }
}
