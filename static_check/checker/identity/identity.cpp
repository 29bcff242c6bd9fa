#include "static_check/checker/identity/identity.h"

#include "shared_ir/reference/clean_run.h"
#include "shared_ir/reference/joint_run.h"
#include "static_check/checker/identity/evaluation.h"

namespace assay::checker {
namespace {

using identity::Evaluation;
using EvaluatedTensor = Evaluation::Tensor;

constexpr uint64_t kSeeds[] = {0x5be0cd19137e2179U, 0x9b05688c2b3e6c1fU};
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

// What goes wrong in an evaluation proves nothing.
template <class Action>
void reject_failures(const std::string& what, const Action& action) {
  try {
    action();
  } catch (const Rejection& rejection) {
    throw Rejection{what + rejection.reason};
  } catch (const RationalOverflow&) {
    throw Rejection{what + "a coefficient leaves 64 bits"};
  } catch (const UserError& error) {
    throw Rejection{what + error.what()};
  } catch (const std::out_of_range&) {
    throw Rejection{what + "a program or claim that is not well-formed"};
  }
}

}  // namespace

struct IdentityCheck::Run {
  Run(uint64_t seed, const Joint& joint, std::set<std::string>& notes)
      : algebra(seed, notes), sequential(algebra, joint, true), distributed(algebra, joint, false) {
    run(joint);
    if (algebra.learned_late()) run(joint);  // with all tables known from the first operator on
  }

  void run(const Joint& joint) {
    const std::vector<CoreProgram> alone{joint.sequential};
    sequential_values = tensors_of(joint.sequential,
                                   reference::JointRun<Evaluation>(alone, sequential).run().at(0));
    values = reference::JointRun<Evaluation>(joint.ranks, distributed).run();
    for (size_t rank = 0; rank < values.size(); ++rank)
      values[rank] = tensors_of(joint.ranks[rank], std::move(values[rank]));
  }

  EvaluatedTensor evaluate(const Joint& joint, const CleanExpr& expr, bool of_sequential) {
    const reference::CleanRun<Evaluation>::Leaf leaf = [&](const std::string& name, Rank rank) {
      if (of_sequential) rank = kNone;
      if (rank != kNone && (rank < 0 || static_cast<size_t>(rank) >= values.size()))
        throw Rejection{"no rank " + std::to_string(rank)};
      const TensorId id = joint.graph(rank).find(name);
      if (id == kNone) throw Rejection{"no tensor \"" + name + "\""};
      const CoreId op = joint.program(rank).value_of.at(static_cast<size_t>(id));
      if (op == kNone) throw Rejection{"no value of \"" + name + "\""};
      const std::vector<EvaluatedTensor>& own =
          of_sequential ? sequential_values : values[static_cast<size_t>(rank)];
      return own.at(static_cast<size_t>(op));
    };
    return reference::CleanRun<Evaluation>(of_sequential ? sequential : distributed, leaf)
        .evaluate(expr);
  }

  identity::Algebra algebra;
  Evaluation sequential, distributed;
  std::vector<EvaluatedTensor> sequential_values;
  std::vector<std::vector<EvaluatedTensor>> values;
};

IdentityCheck::IdentityCheck(const Joint& joint) : joint_(joint) {}
IdentityCheck::~IdentityCheck() = default;

void IdentityCheck::evaluate() {
  if (!failure_.empty()) throw Rejection{failure_};
  if (!runs_.empty()) return;
  try {
    reject_failures("", [&] { evaluate_unguarded(); });
  } catch (const Rejection& rejection) {
    runs_.clear();
    failure_ = rejection.reason.empty() ? "no evaluation" : rejection.reason;
    throw;
  }
}

void IdentityCheck::evaluate_unguarded() {
  PlainInt elements = 0;
  count_elements(joint_.sequential, elements);
  for (const CoreProgram& rank : joint_.ranks) count_elements(rank, elements);
  for (const uint64_t seed : kSeeds) runs_.push_back(std::make_unique<Run>(seed, joint_, notes_));
}

void IdentityCheck::check(const std::string& what, const CleanExpr& sequential,
                          const CleanExpr& replica) {
  reject_failures(what + ", by evaluation: ", [&] {
    evaluate();
    check_unguarded(sequential, replica);
  });
}

void IdentityCheck::check_unguarded(const CleanExpr& sequential, const CleanExpr& replica) {
  for (const auto& run : runs_) {
    const EvaluatedTensor wanted = run->evaluate(joint_, sequential, true);
    const EvaluatedTensor found = run->evaluate(joint_, replica, false);
    if (wanted.shape != found.shape || wanted.values.size() != found.values.size())
      throw Rejection{to_string(replica) + " has another shape"};
    for (size_t i = 0; i < wanted.values.size(); ++i)
      if (!run->algebra.same(wanted.values[i], found.values[i]))
        throw Rejection{to_string(replica) + " is another function at element " +
                        std::to_string(i)};
  }
}

}  // namespace assay::checker
