// Operators that compute element by element, and those that add elements up.
#include "shared_ir/import/complex_parts/rules.h"

namespace assay::complex_parts {
namespace {

constexpr const char* kWriteOut =
    "write it in products and quotients, or take the parts with "
    "torch.view_as_real before it";

Arg squared_length(Call& call, const Parts& z, const std::string& label) {
  return call.add(call.mul(z.re, z.re, label + "_re2"), call.mul(z.im, z.im, label + "_im2"),
                  label + "_abs2");
}

Parts product(Call& call, const Parts& a, const Parts& b) {
  return {call.sub(call.mul(a.re, b.re, "re_re"), call.mul(a.im, b.im, "im_im"), "re"),
          call.add(call.mul(a.re, b.im, "re_im"), call.mul(a.im, b.re, "im_re"), "im")};
}

void mul(Call& call) {
  const Arg& self = call.given(0, "self");
  const Arg& other = call.given(1, "other");
  if (call.is_complex(self) && call.is_complex(other))
    return call.finish(product(call, call.parts(self, "self"), call.parts(other, "other")));
  const bool first = call.is_complex(self);
  call.finish("aten.mul.Tensor", {call.whole(first ? self : other, "complex"),
                                  call.along_parts(first ? other : self, "real")});
}

// a / z = a * conj(z) / |z|^2.
void divide(Call& call, const Parts& a, const Parts& z) {
  const Arg length = squared_length(call, z, "divisor");
  Parts above;
  if (a.im.is_none()) {
    above = {call.mul(a.re, z.re, "above_re"),
             call.map("aten.neg.default", call.mul(a.re, z.im, "re_im"), "above_im")};
  } else {
    above = {call.add(call.mul(a.re, z.re, "re_re"), call.mul(a.im, z.im, "im_im"), "above_re"),
             call.sub(call.mul(a.im, z.re, "im_re"), call.mul(a.re, z.im, "re_im"), "above_im")};
  }
  call.finish({call.div(above.re, length, "re"), call.div(above.im, length, "im")});
}

void div(Call& call) {
  const Arg& self = call.given(0, "self");
  const Arg& other = call.given(1, "other");
  if (call.is_complex(other))
    return divide(call, call.parts(self, "self"), call.parts(other, "other"));
  call.finish("aten.div.Tensor", {call.whole(self, "self"), call.along_parts(other, "other")});
}

void reciprocal(Call& call) {
  divide(call, {{1.0}, {}}, call.parts(call.given(0, "self"), "self"));
}

void add_up(Call& call, const char* op) {
  std::vector<std::pair<std::string, Arg>> kwargs;
  if (const Arg* alpha = call.find(2, "alpha")) kwargs.emplace_back("alpha", *alpha);
  const Arg self = call.whole(call.given(0, "self"), "self");
  const Arg other = call.whole(call.given(1, "other"), "other");
  call.finish(op, {self, other}, std::move(kwargs));
}

void add(Call& call) { add_up(call, "aten.add.Tensor"); }
void sub(Call& call) { add_up(call, "aten.sub.Tensor"); }
void rsub(Call& call) { add_up(call, "aten.rsub.Tensor"); }

void neg(Call& call) {
  call.finish("aten.neg.default", {call.whole(call.given(0, "self"), "self")});
}

// Of real tensors, too: of the imaginary part of a conjugate.
void neg_view(Call& call) { call.finish("aten.neg.default", {call.given(0, "self")}); }

void conj(Call& call) {
  const Parts z = call.parts(call.given(0, "self"), "self");
  call.finish({z.re, call.map("aten.neg.default", z.im, "im")});
}

void abs(Call& call) {
  const Parts z = call.parts(call.given(0, "self"), "self");
  call.finish("aten.sqrt.default", {squared_length(call, z, "self")});
}

void exp(Call& call) {
  const Parts z = call.parts(call.given(0, "self"), "self");
  const Arg length = call.map("aten.exp.default", z.re, "abs");
  call.finish({call.mul(length, call.map("aten.cos.default", z.im, "cos"), "re"),
               call.mul(length, call.map("aten.sin.default", z.im, "sin"), "im")});
}

void square(Call& call) {
  const Parts z = call.parts(call.given(0, "self"), "self");
  call.finish(product(call, z, z));
}

void pow(Call& call) {
  const Arg& exponent = call.given(1, "exponent");
  const auto* integer = std::get_if<Int>(&exponent.value);
  const auto* number = std::get_if<double>(&exponent.value);
  const auto is = [&](int value) {
    return (integer != nullptr && *integer == value) || (number != nullptr && *number == value);
  };
  if (is(1)) return call.finish("aten.clone.default", {call.whole(call.given(0, "self"), "self")});
  if (is(-1)) return reciprocal(call);
  if (!is(2))
    call.fail("of a complex tensor is supported for the exponents -1, 1 and 2", kWriteOut);
  square(call);
}

// Over dimensions of the complex tensor, never over its parts.
void reduce(Call& call, const char* op, bool some_dims) {
  const Arg self = call.whole(call.given(0, "self"), "self");
  const auto rank = static_cast<PlainInt>(call.tensor(self).shape.size()) - 1;
  if (rank == 0) return call.finish("aten.clone.default", {self});
  ArgList dims;
  const Arg* given = some_dims ? call.find(1, "dim") : nullptr;
  if (given != nullptr && std::holds_alternative<Int>(given->value)) {
    dims = {*given};
  } else if (given != nullptr) {
    const auto* list = std::get_if<ArgList>(&given->value);
    if (list == nullptr) call.fail("has dimensions that are no integers");
    dims = *list;
  }
  for (Arg& dim : dims) dim = {call.dimension(dim, rank)};
  if (dims.empty())
    for (PlainInt dim = 0; dim < rank; ++dim) dims.push_back({Int(dim)});
  const Arg* keep = some_dims ? call.find(2, "keepdim") : nullptr;
  call.finish(op, {self, {std::move(dims)}, keep == nullptr ? Arg{false} : *keep});
}

void sum_all(Call& call) { reduce(call, "aten.sum.dim_IntList", false); }
void sum(Call& call) { reduce(call, "aten.sum.dim_IntList", true); }
void mean_all(Call& call) { reduce(call, "aten.mean.dim", false); }
void mean(Call& call) { reduce(call, "aten.mean.dim", true); }

void where(Call& call) {
  const Arg& condition = call.given(0, "condition");
  Shape shape = call.tensor(condition).shape;
  const auto last = static_cast<PlainInt>(shape.size());
  shape.push_back(1);
  const Arg both =
      call.emit("aten.unsqueeze.default", {condition, {Int(last)}}, shape, "both", DType::kBool);
  const Arg self = call.whole(call.given(1, "self"), "self");
  const Arg other = call.whole(call.given(2, "other"), "other");
  call.finish("aten.where.self", {both, self, other});
}

}  // namespace

const Rules& arithmetic_rules() {
  static const Rules rules = {
      {"aten.mul.Tensor", mul},
      {"aten.mul.Scalar", mul},
      {"aten.div.Tensor", div},
      {"aten.div.Scalar", div},
      {"aten.reciprocal.default", reciprocal},
      {"aten.add.Tensor", add},
      {"aten.add.Scalar", add},
      {"aten.sub.Tensor", sub},
      {"aten.sub.Scalar", sub},
      {"aten.rsub.Tensor", rsub},
      {"aten.rsub.Scalar", rsub},
      {"aten.neg.default", neg},
      {"aten._neg_view.default", neg_view},
      {"aten._conj.default", conj},
      {"aten._conj_copy.default", conj},
      {"aten.conj.default", conj},
      {"aten.conj_physical.default", conj},
      {"aten._conj_physical.default", conj},
      {"aten.abs.default", abs},
      {"aten.exp.default", exp},
      {"aten.square.default", square},
      {"aten.pow.Tensor_Scalar", pow},
      {"aten.sum.default", sum_all},
      {"aten.sum.dim_IntList", sum},
      {"aten.mean.default", mean_all},
      {"aten.mean.dim", mean},
      {"aten.where.self", where},
      {"aten.where.ScalarOther", where},
      {"aten.where.ScalarSelf", where},
  };
  return rules;
}

}  // namespace assay::complex_parts
