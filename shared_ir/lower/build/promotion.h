// The dtype that PyTorch gives the result of mixed operands: tensors with dimensions decide first,
// then zero-dimensional tensors, then numbers, unless a later one is of a higher category (bool <
// integer < floating).
#pragma once

#include "shared_ir/dtype.h"

namespace assay::lowering {

class Promotion {
 public:
  void add_tensor(DType dtype, bool has_dimensions);
  // A number of the program: int64, float32 (PyTorch's default dtype) or bool.
  void add_number(DType dtype);
  DType result() const;

 private:
  struct Slot {
    bool given = false;
    DType dtype = DType::kBool;
  };
  static void add(Slot& slot, DType dtype);
  static Slot combine(Slot first, Slot second);

  Slot dimensioned_, scalar_, number_;
};

}  // namespace assay::lowering
