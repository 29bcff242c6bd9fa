// Products of matrices, and collectives: linear in each operand.
#include <algorithm>
#include <array>

#include "shared_ir/import/complex_parts/rules.h"

namespace assay::complex_parts {
namespace {

struct Product {
  std::string_view op;
  std::string_view other;  // the name of its second operand
};

constexpr std::array<Product, 5> kProducts = {{
    {"aten.mm.default", "mat2"},
    {"aten.bmm.default", "mat2"},
    {"aten.matmul.default", "other"},
    {"aten.mv.default", "vec"},
    {"aten.dot.default", "tensor"},
}};

void multiply(Call& call) {
  const auto* known = std::ranges::find(kProducts, call.node().op, &Product::op);
  const Parts a = call.parts(call.given(0, "self"), "self");
  const Parts b = call.parts(call.given(1, known->other), "other");
  const Shape shape = call.result_shape();
  const auto product = [&](const Arg& left, const Arg& right, const char* label) {
    return call.emit(call.node().op, {left, right}, shape, label);
  };
  if (a.im.is_none()) return call.finish({product(a.re, b.re, "re"), product(a.re, b.im, "im")});
  if (b.im.is_none()) return call.finish({product(a.re, b.re, "re"), product(a.im, b.re, "im")});
  call.finish({call.sub(product(a.re, b.re, "re_re"), product(a.im, b.im, "im_im"), "re"),
               call.add(product(a.re, b.im, "re_im"), product(a.im, b.re, "im_re"), "im")});
}

void needs_dimension(Call& call) {
  if (call.rank() == 0)
    call.fail("of a complex tensor without dimensions", "give it a dimension of 1 before");
}

void send(Call& call) { call.finish(call.node().op, call.node().args, call.node().kwargs); }

// The first dimension is that along which the ranks' tensors are joined or cut.
void send_along(Call& call) {
  needs_dimension(call);
  send(call);
}

void needs_sum(Call& call) {
  const auto* operation = std::get_if<std::string>(&call.given(1, "reduce_op").value);
  if (operation == nullptr || (*operation != "sum" && *operation != "avg"))
    call.fail("of complex tensors is a sum or an average");
}

void send_sum(Call& call) {
  needs_sum(call);
  send(call);
}

void send_sum_along(Call& call) {
  needs_sum(call);
  send_along(call);
}

Rules all_product_rules() {
  Rules rules = {
      {"_c10d_functional.all_reduce.default", send_sum},
      {"_c10d_functional.reduce_scatter_tensor.default", send_sum_along},
      {"_c10d_functional.all_gather_into_tensor.default", send_along},
      {"_c10d_functional.broadcast.default", send},
      {"_c10d_functional.wait_tensor.default", send},
  };
  for (const Product& product : kProducts) rules.emplace(product.op, multiply);
  return rules;
}

}  // namespace

const Rules& product_rules() {
  static const Rules rules = all_product_rules();
  return rules;
}

}  // namespace assay::complex_parts
