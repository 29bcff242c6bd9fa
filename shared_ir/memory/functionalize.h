// Makes a program functional while it is lowered, before the meaning of any operator is looked up:
// what an operator writes, and what its results share memory with, is what its schema says
// (schema.h), and nothing else. Values of tensors are those of the current version of their memory
// (storage_versions.h: storages, versions and views).
//
// An operator with neither schema nor declaration may write all it reads, and its results may be
// any of its operands: reading these later is refused.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shared_ir/lower/node/meaning.h"
#include "shared_ir/memory/effects.h"
#include "shared_ir/memory/in_flight.h"
#include "shared_ir/memory/moved_operands.h"
#include "shared_ir/memory/storage_versions.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay::memory {

class Functionalizer {
 public:
  // `context` is where the program is lowered to.
  Functionalizer(const Graph& graph, const OperatorTable& operators, lowering::Context& context);

  // False where no call of the graph writes, or depends on how tensors lie: then nothing below is
  // called but add_input() and finish(), and tensors are values.
  bool is_needed() const { return needed_; }

  void add_input(TensorId input, CoreId value);

  // Per tensor of the graph, what a reader sees at the node that was run last.
  const std::vector<CoreId>& values() const { return values_; }

  // Reads the operands of the node at `context.site`. Lowers it and returns true where it writes,
  // or depends on how its operands lie; sets its outputs in `value_of`. Throws UserError at the
  // node where it reads what is not known.
  bool run(const Node& node, const OperatorDeclaration* declaration,
           const lowering::Recorded& recorded, std::vector<CoreId>& value_of);

  // The outputs of a node that run() has left alone have got their values.
  void add_results(const Node& node, const OperatorDeclaration* declaration,
                   const lowering::Recorded& recorded, std::vector<CoreId>& value_of);

  // The node at `context.site` comes when this is done (Node::awaits).
  void wait_for_work(int32_t work) { in_flight_.wait_for_work(context_.site, work); }

  // Outputs of the graph are what their memory holds at the end.
  void finish(std::vector<CoreId>& value_of);

 private:
  const OperatorSchema& schema_of(const Node& node);
  bool needs_memory(const Node& node);
  CoreId read(TensorId tensor) { return values_[tensor] = memory_.read(tensor, context_.site); }
  void set(TensorId output, CoreId value, std::vector<CoreId>& value_of);

  // The declaration of the operator, or of the one that returns what it writes; nullptr: none.
  const OperatorDeclaration* meaning_of(const Node& node);
  // Whether the node issues a collective whose first user does not wait for it.
  bool is_used_in_flight(const Node& node);
  void find_first_users();
  void use_in_flight(const Node& node, const OperatorSchema& schema,
                     const std::vector<TensorId>& written);
  // `node` has been run.
  void issue(const Node& node);

  void check_overlaps(const Node& node, const OperatorSchema& schema,
                      const std::vector<TensorId>& written) const;
  lowering::Results results_in_place(const Node& node, const OperatorDeclaration* declaration,
                                     const OperatorSchema& schema,
                                     const lowering::Recorded& recorded);
  void run_in_place(const Node& node, const OperatorDeclaration* declaration,
                    const OperatorSchema& schema, const std::vector<TensorId>& written,
                    const lowering::Recorded& recorded, std::vector<CoreId>& value_of);
  void run_relayout(const Node& node, const OperatorSchema& schema, TensorId tensor,
                    std::vector<CoreId>& value_of);
  void run_strided(const Node& node, const OperatorSchema& schema, std::vector<CoreId>& value_of);

  void add_fresh(TensorId output, CoreId value, const Node& node, const OperatorSchema& schema);
  // Returns the value of the output.
  std::optional<bool> is_view_by_strides(const Tensor& recorded, TensorId operand,
                                         const Movements& movements) const;
  CoreId add_shared(TensorId output, CoreId value, const Node& node, const OperatorSchema& schema,
                    const SchemaResult& result, const std::optional<MovedOperand>& moved);

  const Graph& graph_;
  const OperatorTable& operators_;
  lowering::Context& context_;
  Memory memory_;
  InFlight in_flight_;
  std::vector<const Node*> first_users_;  // of each tensor, once asked for; nullptr: none
  std::unordered_map<int32_t, const Node*> first_waits_;  // for works, then
  std::vector<CoreId> values_;
  std::unordered_map<std::string_view, OperatorSchema> schemas_;
  std::vector<const Node*> writers_;
  bool needed_ = false;
};

}  // namespace assay::memory
