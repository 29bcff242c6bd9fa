#include "shared_ir/lower/build/contract.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "shared_ir/lower/build/operands_fit.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// x in the joint domain: dimensions in its order, size 1 and then repeated where x does not see a
// label.
CoreId spread(Builder& builder, const Factor& factor, const std::vector<int32_t>& order,
              const Shape& domain) {
  std::vector<Int> dims(factor.labels.size());
  std::iota(dims.begin(), dims.end(), 0);
  auto position = [&](Int dim) {
    return std::find(order.begin(), order.end(), factor.labels[dim]) - order.begin();
  };
  std::sort(dims.begin(), dims.end(), [&](Int a, Int b) { return position(a) < position(b); });
  Shape sparse(order.size(), 1);
  for (Int dim : dims) sparse[position(dim)] = domain[position(dim)];
  return builder.expand(builder.reshape(builder.permute(factor.tensor, dims), sparse), domain);
}

}  // namespace

CoreId contract(Builder& builder, const std::vector<Factor>& factors,
                const std::vector<int32_t>& output) {
  std::vector<int32_t> order = output;
  std::map<int32_t, Int> sizes;
  for (const Factor& factor : factors) {
    require(factor.labels.size() == builder.shape(factor.tensor).size(),
            "a label for each dimension");
    for (size_t i = 0; i < factor.labels.size(); ++i) {
      auto [at, fresh] = sizes.emplace(factor.labels[i], builder.shape(factor.tensor)[i]);
      require(at->second == builder.shape(factor.tensor)[i], "equal labels have equal sizes");
      if (fresh && std::find(order.begin(), order.end(), factor.labels[i]) == order.end())
        order.push_back(factor.labels[i]);
    }
  }
  Shape domain;
  for (int32_t label : order) {
    require(sizes.count(label), "an output label that no factor has");
    domain.push_back(sizes[label]);
  }
  CoreId product = kNone;
  for (const Factor& factor : factors) {
    CoreId operand = spread(builder, factor, order, domain);
    if (product == kNone)
      product = operand;
    else
      product = is_bool(builder.dtype(product)) ? builder.keep(product, operand)
                                                : builder.mul(product, operand);
  }
  std::vector<Int> summed(order.size() - output.size());
  std::iota(summed.begin(), summed.end(), static_cast<Int>(output.size()));
  return builder.reduce(Prim::kReduceSum, product, summed);
}

}  // namespace assay::lowering
