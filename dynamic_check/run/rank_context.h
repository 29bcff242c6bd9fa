// What a program sees of the rank that it runs on.
#pragma once

#include <functional>
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

  // `input`, `output`: what the program's calls of them do.
  RankContext(RankEnvironment& environment, Input input, Output output)
      : environment_(environment), input_(std::move(input)), output_(std::move(output)) {}

  at::Tensor input(const std::string& name) override { return input_(name); }
  void output(const std::string& name, const at::Tensor& tensor) override { output_(name, tensor); }
  Rank rank() const override { return environment_.rank(); }
  const Mesh& mesh() const override { return environment_.mesh(); }
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) override {
    return environment_.group(axis);
  }

 private:
  RankEnvironment& environment_;
  const Input input_;
  const Output output_;
};

}  // namespace assay
