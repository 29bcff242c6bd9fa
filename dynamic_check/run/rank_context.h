// What a program sees of the rank that it runs on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <utility>

#include "dynamic_check/run/execute/rank_environment.h"
#include "shared_ir/capture/program.h"

namespace assay {

class RankContext final : public ProgramContext {
 public:
  using Input = std::function<at::Tensor(const std::string&)>;
  using Output = std::function<void(const std::string&, const at::Tensor&)>;
  using SizeOf = std::function<int64_t(const at::Tensor&, std::optional<int64_t>)>;

  // `input`, `output`, `size_of`: what the program's calls of them do.
  RankContext(RankEnvironment& environment, Input input, Output output, SizeOf size_of)
      : environment_(environment),
        input_(std::move(input)),
        output_(std::move(output)),
        size_of_(std::move(size_of)) {}

  at::Tensor input(const std::string& name) override { return input_(name); }
  void output(const std::string& name, const at::Tensor& tensor) override { output_(name, tensor); }
  int64_t size_of(const at::Tensor& tensor, std::optional<int64_t> at_most) override {
    return size_of_(tensor, at_most);
  }
  Rank rank() const override { return environment_.rank(); }
  const Mesh& mesh() const override { return environment_.mesh(); }
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) override {
    return environment_.group(axis);
  }

 private:
  RankEnvironment& environment_;
  const Input input_;
  const Output output_;
  const SizeOf size_of_;
};

}  // namespace assay
