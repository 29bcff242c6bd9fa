// A block instance of a proof as numbers: one evaluation of its function on whole dimensions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared_ir/proof/proof.h"

namespace assay::test {

/// A claim that has no meaning: a box on a label that its atom does not hide, an address outside
/// its atom, a function without a numeric definition.
struct MeaninglessClaim {
  std::string reason;
};

/// Advances row-major coordinates; false after the last one.
bool advance(Shape& at, const Shape& sizes);

/// A kBlock or kOpaque instance at some coordinates of its parallel labels.
class BlockCall {
 public:
  /// `programs` say how block functions read their operands. Throws MeaninglessClaim where none
  /// calls the function as the instance does.
  BlockCall(const Instance& instance, const std::vector<const CoreProgram*>& programs);

  /// Address steps of the elements that the function reads of an operand, row-major over its whole
  /// dimensions, from where the parallel labels lead.
  std::vector<int64_t> operand_steps(size_t operand) const;
  /// The same for the elements that it writes.
  std::vector<int64_t> output_steps() const;
  /// Where the parallel labels of the output element `index` lead.
  int64_t output_start(int64_t index) const;

  /// The function of its operands' elements, in the order of their steps.
  std::vector<double> run(std::vector<std::vector<double>> operands) const;

 private:
  void read_declaration(const BlockSpec& spec);
  void read_opaque();
  int64_t size_of(int32_t label) const;
  Shape shape_of(const std::vector<int32_t>& labels) const;
  template <class Stride>
  std::vector<int64_t> steps(const std::vector<int32_t>& labels, Stride stride) const;

  const Instance& instance_;
  // By label of the declaration: its digits, outer to inner.
  std::map<int32_t, std::vector<const InstanceLabel*>> digits_;
  // The labels of the whole dimensions.
  std::vector<std::vector<int32_t>> operands_;
  std::vector<int32_t> output_;
};

}  // namespace assay::test
