// However a program calls a collective, the graph has one form of it.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/capture/record/recording.h"
#include "tests/capture/graph_text.h"
#include "tests/capture/run_program.h"

namespace assay {
namespace {

using test::to_text;
using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

const Mesh kMesh({{"dp", 2}, {"tp", 4}});
const CaptureSpec kInput8x6 = {{"x", {8, 6}}};

std::string captured(const RankProgram& program, Rank rank = 5) {
  return to_text(capture("rank", kInput8x6, rank, kMesh, program));
}

TEST(CapturedCollective, AllReduceWritesItsTensor) {
  EXPECT_EQ(captured([](ProgramContext& program) {
              std::vector<at::Tensor> tensors = {program.input("x").clone()};
              program.group("tp")->allreduce(tensors, {c10d::ReduceOp::MAX})->wait();
              program.output("y", at::mul(tensors[0], 2.0));
            }),
            R"(clone[8, 6] = aten.clone.default(x)
all_reduce[8, 6] = _c10d_functional.all_reduce.default(clone, 'max', 'tp:1')
y[8, 6] = aten.mul.Scalar(all_reduce, 2.)
)");
}

TEST(CapturedCollective, GatherScatterAndExchangeWriteTheirDestination) {
  EXPECT_EQ(captured([](ProgramContext& program) {
              auto x = program.input("x");
              auto gathered = at::empty({32, 6});
              program.group("tp")->_allgather_base(gathered, x)->wait();
              auto scattered = at::empty({8, 6});
              program.group("tp")->_reduce_scatter_base(scattered, gathered)->wait();
              auto exchanged = at::empty_like(scattered);
              std::vector<int64_t> splits;
              program.group("dp")->alltoall_base(exchanged, scattered, splits, splits)->wait();
              std::vector<at::Tensor> tensors = {exchanged};
              program.group("dp")->broadcast(tensors, {.rootRank = 1})->wait();
              program.output("y", tensors[0]);
            }),
            R"(empty[32, 6] = aten.empty.memory_format([32, 6])
all_gather_into_tensor[32, 6] = _c10d_functional.all_gather_into_tensor.default(x, 4, 'tp:1')
empty_1[8, 6] = aten.empty.memory_format([8, 6])
reduce_scatter_tensor[8, 6] = _c10d_functional.reduce_scatter_tensor.default(all_gather_into_tensor, 'sum', 4, 'tp:1')
empty_like[8, 6] = aten.empty_like.default(reduce_scatter_tensor)
all_to_all_single[8, 6] = _c10d_functional.all_to_all_single.default(reduce_scatter_tensor, [4, 4], [4, 4], 'dp:1')
y[8, 6] = _c10d_functional.broadcast.default(all_to_all_single, 1, 'dp:1')
)");
}

// c10d takes destinations in which the ranks' parts are stacked.
TEST(CapturedCollective, PartsMayBeStacked) {
  EXPECT_EQ(captured([](ProgramContext& program) {
              auto x = program.input("x");
              auto stacked = at::empty({4, 8, 6});
              program.group("tp")->_allgather_base(stacked, x)->wait();
              auto part = at::empty({8, 6});
              program.group("tp")->_reduce_scatter_base(part, stacked)->wait();
              program.output("y", at::mul(part, 2.0));
              auto sums = at::empty({4});
              auto sum = x.sum();
              program.group("tp")->_allgather_base(sums, sum)->wait();
              program.output("sums", sums);
            }),
            R"(empty[4, 8, 6] = aten.empty.memory_format([4, 8, 6])
all_gather_into_tensor[32, 6] = _c10d_functional.all_gather_into_tensor.default(x, 4, 'tp:1')
view[4, 8, 6] = aten.view.default(all_gather_into_tensor, [4, 8, 6])
empty_1[8, 6] = aten.empty.memory_format([8, 6])
reduce_scatter_tensor[1, 8, 6] = _c10d_functional.reduce_scatter_tensor.default(view, 'sum', 4, 'tp:1')
view_1[8, 6] = aten.view.default(reduce_scatter_tensor, [8, 6])
y[8, 6] = aten.mul.Scalar(view_1, 2.)
empty_2[4] = aten.empty.memory_format([4])
sum[] = aten.sum.default(x)
sums[4] = _c10d_functional.all_gather_into_tensor.default(sum, 4, 'tp:1')
)");
}

TEST(CapturedCollective, MessagesWriteAndReadTheirTensors) {
  EXPECT_EQ(captured([](ProgramContext& program) {
              std::vector<at::Tensor> sent = {program.input("x")};
              program.group("tp")->send(sent, 3, 7)->wait();
              std::vector<at::Tensor> received = {at::empty({8, 6})};
              program.group("dp")->recv(received, 0, 0)->wait();
              program.group("dp")->barrier()->wait();
              program.output("y", at::mul(received[0], 2.0));
            }),
            R"( = c10d.send.default(x, 3, 7, 'tp:1')
empty[8, 6] = aten.empty.memory_format([8, 6])
recv[8, 6] = c10d.recv.default(empty, 0, 0, 'dp:1')
empty_1[1] = aten.empty.memory_format([1], dtype=uint8)
 = c10d.barrier.default('dp:1')
y[8, 6] = aten.mul.Scalar(recv, 2.)
)");
}

TEST(CapturedCollective, ListsHaveATensorForEachMember) {
  EXPECT_EQ(captured([](ProgramContext& program) {
              const auto group = program.group("dp");
              std::vector<at::Tensor> x = {program.input("x")};
              std::vector<std::vector<at::Tensor>> all = {{at::empty({8, 6}), at::empty({8, 6})}};
              group->allgather(all, x)->wait();
              std::vector<at::Tensor> part = {at::empty({8, 6})};
              group->reduce_scatter(part, all)->wait();
              std::vector<at::Tensor> exchanged = {at::empty({8, 6}), at::empty({8, 6})};
              group->alltoall(exchanged, all[0])->wait();
              group->reduce(part, {.rootRank = 1})->wait();
              std::vector<std::vector<at::Tensor>> none;
              group->gather(none, part)->wait();
              std::vector<at::Tensor> piece = {at::empty({8, 6})};
              group->scatter(piece, none)->wait();
              program.output("y", piece[0]);
              program.output("z", exchanged[1]);
            }),
            R"(empty[8, 6] = aten.empty.memory_format([8, 6])
empty_1[8, 6] = aten.empty.memory_format([8, 6])
all_gather.0[8, 6], all_gather.1[8, 6] = c10d.all_gather.default([empty, empty_1], x, 2, 'dp:1')
empty_2[8, 6] = aten.empty.memory_format([8, 6])
reduce_scatter[8, 6] = c10d.reduce_scatter.default([all_gather.0, all_gather.1], 'sum', 2, 'dp:1')
empty_3[8, 6] = aten.empty.memory_format([8, 6])
empty_4[8, 6] = aten.empty.memory_format([8, 6])
all_to_all.0[8, 6], z[8, 6] = c10d.all_to_all.default([empty_3, empty_4], [all_gather.0, all_gather.1], 'dp:1')
reduce[8, 6] = c10d.reduce.default(reduce_scatter, 'sum', 1, 'dp:1')
 = c10d.gather.default(reduce, 0, 2, 'dp:1')
empty_5[8, 6] = aten.empty.memory_format([8, 6])
y[8, 6] = c10d.scatter.default(empty_5, [], 0, 'dp:1')
)");
}

TEST(CapturedCollective, FunctionalFormsAreKept) {
  EXPECT_EQ(captured([](ProgramContext& program) {
              const auto gather =
                  c10::Dispatcher::singleton()
                      .findSchemaOrThrow("_c10d_functional::all_gather_into_tensor", "")
                      .typed<at::Tensor(const at::Tensor&, int64_t, std::string)>();
              const auto wait = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("_c10d_functional::wait_tensor", "")
                                    .typed<at::Tensor(const at::Tensor&)>();
              program.output("y", wait.call(gather.call(program.input("x"), 4, "tp:1")));
            }),
            R"(y[32, 6] = _c10d_functional.all_gather_into_tensor.default(x, 4, 'tp:1')
)");
}

// Megatron's f: identity forward, all-reduce backward.
struct CopyToGroup : torch::autograd::Function<CopyToGroup> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const GroupPtr& group) {
    context->saved_data["group"] = group;
    return x.view_as(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    std::vector<at::Tensor> tensors = {gradients[0].contiguous().clone()};
    context->saved_data["group"].toCustomClass<c10d::ProcessGroup>()->allreduce(tensors)->wait();
    return {tensors[0], at::Tensor()};
  }
};

TEST(CapturedCollective, InTheBackwardOfACustomFunction) {
  const CaptureSpec inputs = {{"x", {8, 6}, DType::kFloat32, true},
                              {"w", {6, 3}, DType::kFloat32, true}};
  const Graph graph = capture("rank", inputs, 0, kMesh, [](ProgramContext& program) {
    const auto x = program.input("x");
    const auto y = at::mm(CopyToGroup::apply(x, program.group("tp")), program.input("w"));
    program.output("grad.x", torch::autograd::grad({y.sum()}, {x})[0]);
  });
  const Node& node = test::producer(graph, "grad.x");
  EXPECT_EQ(node.op, "_c10d_functional.all_reduce.default");
  EXPECT_TRUE(node.backward);
  EXPECT_TRUE(node.source.file.ends_with("collective_test.cpp"));
}

// Completes at wait(), and doubles its tensors then.
class LateWork : public c10d::Work {
 public:
  explicit LateWork(std::vector<at::Tensor> tensors) : tensors_(std::move(tensors)) {}
  bool wait(std::chrono::milliseconds) override {
    for (auto& tensor : tensors_) *tensor.mutable_data_ptr<float>() *= 2.0F;
    tensors_.clear();
    return true;
  }

 private:
  std::vector<at::Tensor> tensors_;
};

class LateBackend : public c10d::Backend {
 public:
  using c10d::Backend::Backend;
  const std::string getBackendName() const override { return "late"; }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions&) override {
    return c10::make_intrusive<LateWork>(tensors);
  }
};

// The value that the recording reports for an all-reduce of a tensor of ones, whose last reader may
// come too early.
double reported_all_reduce(bool waits, bool reads) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(0, 1);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::CUSTOM,
                    c10::make_intrusive<LateBackend>(0, 1));
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName("late");
  double reported = 0;
  int times = 0;
  std::vector<at::Tensor> tensors = {at::empty({1}).fill_(1.0)};
  Recording recording("run", {.on_outputs = [&](NodeId node, std::span<const at::Tensor> outputs) {
                        if (node != 0) return;
                        reported = outputs[0].item<double>();
                        ++times;
                      }});
  recording.input("x", tensors[0]);
  const auto work = group->allreduce(tensors);
  if (waits) work->wait();
  if (reads) at::add(tensors[0], 1.0);
  recording.finish();
  EXPECT_EQ(times, 1);
  return reported;
}

TEST(RecordedCollective, IsReportedAsItsFirstReaderSeesIt) {
  EXPECT_EQ(reported_all_reduce(true, true), 2.0);
  EXPECT_EQ(reported_all_reduce(false, true), 1.0) << "the program forgot to wait";
}

TEST(RecordedCollective, ThatNobodyReadsIsReportedWhenItIsDone) {
  EXPECT_EQ(reported_all_reduce(true, false), 2.0);
  EXPECT_EQ(reported_all_reduce(false, false), 2.0);
}

}  // namespace
}  // namespace assay
