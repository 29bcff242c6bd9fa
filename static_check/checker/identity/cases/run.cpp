#include "static_check/checker/identity/cases/run.h"

#include "shared_ir/reference/clean_run.h"
#include "shared_ir/reference/joint_run.h"

namespace assay::checker::identity {
namespace {

using EvaluatedTensor = Evaluation::Tensor;

constexpr PlainInt kMostElements = PlainInt{1} << 23;

void count_elements(const CoreProgram& program, PlainInt& elements) {
  for (const CoreOp& op : program.ops) {
    PlainInt own = 1;
    for (const PlainInt size : op.shape) {
      if (size < 0) throw Rejection{"a negative size"};
      own = size == 0 ? 0 : own > kMostElements / size ? kMostElements + 1 : own * size;
      if (own == 0) break;
    }
    elements += own;
    if (elements > kMostElements) throw Rejection{"too large to be evaluated"};
  }
}

// What tensors of the graph are; other values are not read again.
std::vector<EvaluatedTensor> tensors_of(const CoreProgram& program,
                                        std::vector<EvaluatedTensor> values) {
  std::vector<bool> named(values.size(), false);
  for (const CoreId id : program.value_of)
    if (id != kNone) named.at(static_cast<size_t>(id)) = true;
  for (size_t i = 0; i < values.size(); ++i)
    if (!named[i]) values[i] = EvaluatedTensor{};
  return values;
}

}  // namespace

PlainInt count_elements(const Joint& joint, const Scope& scope) {
  if (scope.cone != nullptr) {
    if (scope.cone->elements() > kMostElements) throw Rejection{"too large to be evaluated"};
    return scope.cone->elements();
  }
  PlainInt elements = 0;
  count_elements(joint.sequential, elements);
  for (const CoreProgram& rank : joint.ranks) count_elements(rank, elements);
  return elements;
}

namespace {

Reading with(Reading reading, const Scope& scope) {
  reading.computed = scope.computed;
  return reading;
}

}  // namespace

Run::Run(uint64_t seed, const Joint& joint, std::set<std::string>& notes, const Scope& scope,
         Reading reading)
    : joint_(joint),
      algebra_(seed, notes, with(reading, scope)),
      sequential_(algebra_, joint, scope, nullptr),
      distributed_(algebra_, joint, scope, &sequential_values_) {
  run();
  if (algebra_.learned_late()) run();  // with all tables known from the first operator on
}

void Run::run() {
  const std::vector<CoreProgram> alone{joint_.sequential};
  sequential_values_ = tensors_of(joint_.sequential,
                                  reference::JointRun<Evaluation>(alone, sequential_).run().at(0));
  values_ = reference::JointRun<Evaluation>(joint_.ranks, distributed_).run();
  for (size_t rank = 0; rank < values_.size(); ++rank)
    values_[rank] = tensors_of(joint_.ranks[rank], std::move(values_[rank]));
}

EvaluatedTensor Run::evaluate(const CleanExpr& expr, bool of_sequential) {
  const auto leaf = [&](const std::string& name, Rank rank) -> const EvaluatedTensor& {
    if (of_sequential) rank = kNone;
    if (rank != kNone && (rank < 0 || static_cast<size_t>(rank) >= values_.size()))
      throw Rejection{"no rank " + std::to_string(rank)};
    const TensorId id = joint_.graph(rank).find(name);
    if (id == kNone) throw Rejection{"no tensor \"" + name + "\""};
    const CoreId op = joint_.program(rank).value_of.at(static_cast<size_t>(id));
    if (op == kNone) throw Rejection{"no value of \"" + name + "\""};
    const std::vector<EvaluatedTensor>& own =
        of_sequential ? sequential_values_ : values_[static_cast<size_t>(rank)];
    const EvaluatedTensor& value = own.at(static_cast<size_t>(op));
    if (static_cast<PlainInt>(value.values.size()) != reference::count_of(value.shape))
      throw Rejection{"\"" + name + "\" was not evaluated"};
    return value;
  };
  return reference::evaluate(of_sequential ? sequential_ : distributed_, expr, leaf);
}

}  // namespace assay::checker::identity
