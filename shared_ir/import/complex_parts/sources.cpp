// Operators that make complex tensors of real ones or of nothing, and real ones of complex ones.
#include <array>

#include "shared_ir/import/complex_parts/rules.h"

namespace assay::complex_parts {
namespace {

// A view of the operand, which is the same tensor here.
void view(Call& call) { call.finish("aten.alias.default", {call.given(0, "self")}); }
void copy(Call& call) { call.finish("aten.clone.default", {call.given(0, "self")}); }

void constant(Call& call) { call.finish(call.node().op, call.node().args, call.node().kwargs); }

// Of the dtype and the shape, which the capture has decided.
void drop(Call&) {}

void join_parts(Call& call) {
  call.finish(
      {call.parts(call.given(0, "real"), "real").re, call.parts(call.given(1, "imag"), "imag").re});
}

void polar(Call& call) {
  const Arg length = call.parts(call.given(0, "abs"), "abs").re;
  const Arg angle = call.parts(call.given(1, "angle"), "angle").re;
  call.finish({call.mul(length, call.map("aten.cos.default", angle, "cos"), "re"),
               call.mul(length, call.map("aten.sin.default", angle, "sin"), "im")});
}

void take(Call& call, PlainInt which) {
  const Arg& self = call.given(0, "self");
  if (!call.is_complex(self)) call.fail("of a real tensor is recorded as complex");
  call.finish("aten.select.int", {self, {Int(static_cast<PlainInt>(call.rank()))}, {Int(which)}});
}

void real(Call& call) { take(call, 0); }
void imag(Call& call) { take(call, 1); }

void convert(Call& call) {
  const Arg& self = call.given(0, "self");
  const std::pair<std::string, Arg> dtype = {"dtype", {call.result().dtype}};
  if (!call.is_complex(self)) {
    const Arg re = call.parts(self, "self").re;
    return call.finish({re, call.full(call.tensor(re).shape, {0.0}, "im")});
  }
  if (call.makes_complex()) return call.finish("aten._to_copy.default", {self}, {dtype});
  call.finish("aten._to_copy.default", {call.parts(self, "self").re}, {dtype});
}

// It gives its operand back where nothing changes.
void convert_or_alias(Call& call) {
  const Arg& self = call.given(0, "self");
  const bool same = call.is_complex(self) && call.makes_complex() &&
                    call.tensor(self).dtype == call.result().dtype;
  return same ? view(call) : convert(call);
}

struct Filled {
  std::string_view op;
  double value;       // where no argument has it
  int position = -1;  // of the argument that has it; -1: none
  std::string_view argument = {};
};

constexpr std::array<Filled, 10> kFilled = {{
    {"aten.zeros.default", 0},
    {"aten.zeros_like.default", 0},
    {"aten.new_zeros.default", 0},
    {"aten.ones.default", 1},
    {"aten.ones_like.default", 1},
    {"aten.new_ones.default", 1},
    {"aten.full.default", 0, 1, "fill_value"},
    {"aten.full_like.default", 0, 1, "fill_value"},
    {"aten.new_full.default", 0, 2, "fill_value"},
    {"aten.scalar_tensor.default", 0, 0, "s"},
}};

void fill(Call& call) {
  const Filled* filled = kFilled.begin();
  while (filled->op != call.node().op) ++filled;
  const Arg value = filled->position < 0
                        ? Arg{filled->value}
                        : call.given(static_cast<size_t>(filled->position), filled->argument);
  if (call.is_tensor(value)) call.fail("is filled with a tensor");
  const Shape shape = call.result_shape();
  if (call.makes_complex())
    return call.finish({call.full(shape, value, "re"), call.full(shape, {0.0}, "im")});
  call.finish("aten.full.default", {sizes_argument(shape), value},
              {{"dtype", {call.result().dtype}}});
}

Rules all_source_rules() {
  Rules rules = {
      {"aten.view_as_complex.default", view},
      {"aten.view_as_real.default", view},
      {"aten.view_as_complex_copy.default", copy},
      {"aten.view_as_real_copy.default", copy},
      {kConstantOp, constant},
      {"aten.complex.default", join_parts},
      {"aten.polar.default", polar},
      {"aten.real.default", real},
      {"aten.imag.default", imag},
      {"aten._to_copy.default", convert},
      {"aten.to.dtype", convert_or_alias},
      {"aten.to.dtype_layout", convert_or_alias},
      {"aten.type_as.default", convert_or_alias},
      {"aten._assert_tensor_metadata.default", drop},
  };
  for (const Filled& filled : kFilled) rules.emplace(filled.op, fill);
  return rules;
}

}  // namespace

const Rules& source_rules() {
  static const Rules rules = all_source_rules();
  return rules;
}

}  // namespace assay::complex_parts
