// Numeric definitions of the functions that kMap and kBlock name. `fn` is "name" or
// "name(attribute,attribute,...)".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/graph.h"
#include "shared_ir/reference/tensor.h"

namespace assay::reference {

// Thrown where there is no numeric definition of what is called, or none for these operands.
struct NoNumbers : InternalError {
  using InternalError::InternalError;
};

struct FunctionName {
  std::string_view name;
  std::string_view type;  // of its operands and result, where it is one of integers of that type
  std::vector<std::string_view> attributes;

  double number(size_t i) const;  // "none" is nan
  std::string_view text(size_t i) const;
};

FunctionName parse_function_name(std::string_view fn);

// A function of the elements at one place.
using MapFunction = double (*)(const FunctionName&, std::span<const double>);
// nullptr when there is no definition.
MapFunction find_map(std::string_view name);

// An operand's or result's whole dimensions, in its own order.
using Block = TensorOf<double>;

// A function of blocks: fills `out`, whose shape is set.
using BlockFunction = void (*)(const FunctionName&, std::span<const Block> operands, Block& out);
BlockFunction find_block(std::string_view name);

}  // namespace assay::reference
