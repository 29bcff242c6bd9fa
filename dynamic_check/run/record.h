// One real run of a program, operator by operator, as nodes of the graph that was captured of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/question/question.h"
#include "shared_ir/capture/program.h"
#include "shared_ir/graph.h"

namespace assay {

class RankEnvironment;

// Told each node of the captured graph with its outputs (undefined where unused), which it may
// overwrite in place before anything reads them. Collectives are told when their result is first
// read.
using NodeObserver = std::function<void(NodeId, std::span<const at::Tensor>)>;

// Runs the program in this thread, on copies of its inputs. Throws UserError when the program does
// not do what was captured, naming the first node that differs.
void run_recorded(const RankProgram& program, RankEnvironment& environment, const Graph& captured,
                  const ProgramInputs& inputs, const NodeObserver& observer);

// Tensors of a run by TensorId of the captured graph; undefined where nothing was recorded.
using RecordedTensors = std::vector<at::Tensor>;

// Those of a run that has its inputs, and has not begun.
RecordedTensors recorded_inputs(const Graph& captured, const ProgramInputs& inputs);

// Copies a node's outputs into `recorded`.
void keep_outputs(const Graph& captured, NodeId node, std::span<const at::Tensor> outputs,
                  RecordedTensors& recorded);

// Lets a hook overwrite the outputs of a node that has just run. `recorded` has its inputs.
void apply_kernel_hook(const KernelHook& hook, Rank rank, const Graph& captured, NodeId node,
                       const RecordedTensors& recorded, std::span<const at::Tensor> outputs);

// Runs a program that makes parameters in this thread; `made` is told each of them.
void run_parameters(const RankProgram& program, RankEnvironment& environment,
                    const std::function<void(const std::string&, const at::Tensor&)>& made);

}  // namespace assay
