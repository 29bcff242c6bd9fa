// A program with sizes that depend on values, out of several runs on different values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/capture/fit/size_forms.h"
#include "shared_ir/import/unbacked/size_read.h"
#include "shared_ir/import/unbacked/unbacked.h"

namespace assay {

struct RecordedRun {
  Graph graph;
  std::vector<SizeRead> sizes;
};

// What is the same in every run is a number. Of what differs, a size that an operator makes or that
// is read from a tensor is a symbol, and an integer of an argument is made of these (SizeForms).
// That it is so in other runs as well is assumed.
class SizeFit {
 public:
  // At least two runs. Throws UserError where two of them differ in more than integers, and for an
  // integer that is not made of sizes.
  explicit SizeFit(std::vector<RecordedRun> runs);

  size_t runs() const { return runs_.size(); }

  // The graph that padded() makes one of fixed sizes. An integer that is read and was the same in
  // all runs is asserted to be so.
  UnbackedGraph unbacked() const;

  // Whether another run is one of this program. Throws UserError where it is not.
  void check(const RecordedRun& run) const;

 private:
  struct Symbol {
    SymbolExpr expr;
    size_t read = 0;  // of sizes
    TensorId tensor = kNone;
    size_t dim = 0;  // of the tensor
  };
  const Graph& first() const { return runs_[0].graph; }
  void find_dead();
  void read_sizes(NodeId before);
  void fit_node(NodeId id);
  SymbolExpr fit_argument(const Node& node, const RunValues& values);
  // `given`: integers of the node's arguments.
  void fit_result(NodeId at, TensorId id, const std::map<RunValues, SymbolExpr>& given);
  RunValues sizes_of(TensorId id, size_t dim) const;

  std::vector<RecordedRun> runs_;
  SizeForms forms_;
  std::vector<bool> dead_;                             // per node: no one needs its sizes
  std::vector<Symbol> symbols_;                        // by definition
  std::vector<SymbolExpr> read_;                       // per size that is read
  std::vector<std::vector<SymbolExpr>> arguments_;     // per node, of its integers
  std::map<TensorId, std::vector<SymbolExpr>> sizes_;  // of tensors with sizes that vary
  std::map<RunValues, SymbolExpr> known_sizes_;        // of tensors
  // Before a node: integers that it takes for sizes of tensors, and these.
  std::map<NodeId, std::vector<std::pair<SymbolExpr, SymbolExpr>>> equal_;
};

}  // namespace assay
