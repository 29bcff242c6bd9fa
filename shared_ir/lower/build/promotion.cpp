#include "shared_ir/lower/build/promotion.h"

#include <algorithm>

namespace assay::lowering {
namespace {

int category(DType dtype) { return is_floating(dtype) ? 2 : is_integer(dtype) ? 1 : 0; }

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  auto [low, high] = std::minmax(a, b);
  if (low == DType::kFloat16 && high == DType::kBFloat16) return DType::kFloat32;
  if (low == DType::kUint8 && high == DType::kInt8) return DType::kInt16;
  return high;
}

}  // namespace

void Promotion::add(Slot& slot, DType dtype) {
  slot.dtype = slot.given ? promote(slot.dtype, dtype) : dtype;
  slot.given = true;
}

void Promotion::add_tensor(DType dtype, bool has_dimensions) {
  add(has_dimensions ? dimensioned_ : scalar_, dtype);
}

void Promotion::add_number(DType dtype) { add(number_, dtype); }

Promotion::Slot Promotion::combine(Slot first, Slot second) {
  if (!first.given) return second;
  if (!second.given || category(first.dtype) >= category(second.dtype)) return first;
  return second;
}

DType Promotion::result() const { return combine(dimensioned_, combine(scalar_, number_)).dtype; }

}  // namespace assay::lowering
