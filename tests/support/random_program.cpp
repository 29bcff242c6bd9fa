#include "tests/support/random_program.h"

#include <algorithm>
#include <numeric>

#include "shared_ir/graph.h"

namespace assay::test {

namespace {

constexpr int64_t kMostElements = 512;

}  // namespace

CoreId RandomProgram::append(CoreOp made) {
  program_.ops.push_back(std::move(made));
  return static_cast<CoreId>(program_.ops.size()) - 1;
}

CoreId RandomProgram::input(const std::string& name, Shape shape, DType dtype) {
  CoreOp made;
  made.prim = Prim::kInput;
  made.dtype = dtype;
  made.shape = shape;
  made.tensor = static_cast<TensorId>(graph_.tensors.size());
  graph_.tensors.push_back({name, dtype, std::move(shape), kNone, 0});
  graph_.inputs.push_back(made.tensor);
  graph_.by_name.emplace(name, made.tensor);
  return append(std::move(made));
}

CoreId RandomProgram::constant(int64_t value, DType dtype, const Shape& shape) {
  CoreOp made;
  made.prim = Prim::kConst;
  made.dtype = dtype;
  made.shape = shape;
  made.constant = value;
  return append(std::move(made));
}

template <typename Want>
CoreId RandomProgram::pick(const Want& want) {
  std::vector<CoreId> fitting;
  for (size_t i = 0; i < program_.ops.size(); ++i) {
    if (want(static_cast<CoreId>(i))) fitting.push_back(static_cast<CoreId>(i));
  }
  if (fitting.empty()) return kNone;
  // The later half twice as often: programs grow deep.
  const auto size = static_cast<int64_t>(fitting.size());
  return fitting[static_cast<size_t>(std::max(below(size), below(size)))];
}

CoreId RandomProgram::of_shape(const Shape& shape, bool floating) {
  return pick([&](CoreId id) { return op(id).shape == shape && has_floats(id) == floating; });
}

void RandomProgram::add_movement() {
  const CoreId x = pick([](CoreId) { return true; });
  const Shape shape = op(x).shape;
  CoreOp made;
  made.dtype = op(x).dtype;
  made.operands = {x};
  const auto rank = static_cast<int64_t>(shape.size());
  switch (below(5)) {
    case 0: {
      made.prim = Prim::kPermute;
      made.ints.resize(shape.size());
      std::iota(made.ints.begin(), made.ints.end(), 0);
      std::shuffle(made.ints.begin(), made.ints.end(), random_);
      for (int64_t d : made.ints) made.shape.push_back(shape[static_cast<size_t>(d)]);
      break;
    }
    case 1: {
      made.prim = Prim::kReshape;
      for (int64_t left = element_count(shape); left > 1;) {
        int64_t size = 1 + below(left);
        while (left % size != 0) --size;
        made.shape.push_back(size);
        left /= size;
        if (made.shape.size() == 4) made.shape.back() *= left, left = 1;
      }
      break;
    }
    case 2: {
      made.prim = Prim::kExpand;
      made.shape = shape;
      for (int64_t& size : made.shape) {
        if (size == 1 && element_count(made.shape) * 3 <= kMostElements) size = 1 + below(3);
      }
      break;
    }
    case 3: {
      if (rank == 0) return;
      made.prim = Prim::kSlice;
      const int64_t d = below(rank), size = shape[static_cast<size_t>(d)];
      const int64_t start = below(size), step = below(3) == 0 ? 1 + below(3) : 1;
      made.ints = {d, start, step};
      made.shape = shape;
      made.shape[static_cast<size_t>(d)] = 1 + below((size - start - 1) / step + 1);
      break;
    }
    default: {
      if (rank == 0) return;
      made.prim = Prim::kCat;
      const auto d = static_cast<size_t>(below(rank));
      const CoreId other = pick([&](CoreId id) {
        Shape a = op(id).shape, b = shape;
        if (a.size() != b.size() || op(id).dtype != op(x).dtype) return false;
        a[d] = b[d] = 1;
        return a == b;
      });
      made.operands.push_back(other);
      made.ints = {static_cast<int64_t>(d)};
      made.shape = shape;
      made.shape[d] += op(other).shape[d];
      if (element_count(made.shape) > kMostElements) return;
    }
  }
  append(std::move(made));
}

void RandomProgram::add_arithmetic() {
  const CoreId x = pick([&](CoreId id) { return has_floats(id); });
  if (x == kNone) return;
  CoreOp made;
  made.dtype = op(x).dtype;
  made.shape = op(x).shape;
  made.operands = {x};
  switch (below(5)) {
    case 0:
      made.prim = Prim::kLinear;
      made.operands.push_back(of_shape(made.shape, true));
      made.coefs = {Rational(1 + below(3)), Rational(below(5) - 2, 1 + below(2))};
      break;
    case 1:
      made.prim = Prim::kMul;
      made.operands.push_back(of_shape(made.shape, true));
      break;
    case 2:
      made.prim = Prim::kMap;
      made.fn = below(2) == 0 ? "tanh" : "gelu(none)";
      break;
    case 3:
      made.prim = Prim::kMap;
      made.fn = "maximum";
      made.operands.push_back(of_shape(made.shape, true));
      break;
    default: {
      const CoreId mask =
          pick([&](CoreId id) { return op(id).shape == made.shape && is_bool(op(id).dtype); });
      if (mask == kNone) return;
      made.prim = Prim::kKeep;
      made.operands = {mask, x};
    }
  }
  append(std::move(made));
}

void RandomProgram::add_reduction() {
  const CoreId x = pick([&](CoreId id) { return has_floats(id) && !op(id).shape.empty(); });
  if (x == kNone) return;
  CoreOp made;
  const Prim prims[] = {Prim::kReduceSum, Prim::kReduceSum, Prim::kReduceMax, Prim::kReduceMin};
  made.prim = prims[below(4)];
  made.dtype = op(x).dtype;
  made.operands = {x};
  const Shape& shape = op(x).shape;
  const auto chosen = static_cast<size_t>(below(static_cast<int64_t>(shape.size())));
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d == chosen || below(4) == 0) {
      made.ints.push_back(static_cast<int64_t>(d));
    } else {
      made.shape.push_back(shape[d]);
    }
  }
  append(std::move(made));
}

void RandomProgram::add_block() {
  const CoreId x = pick([&](CoreId id) { return has_floats(id) && !op(id).shape.empty(); });
  if (x == kNone) return;
  CoreOp made;
  made.prim = Prim::kBlock;
  made.fn = "cumsum";
  made.dtype = op(x).dtype;
  made.shape = op(x).shape;
  made.operands = {x};
  BlockSpec spec;
  for (size_t d = 0; d < made.shape.size(); ++d) {
    spec.output.push_back({static_cast<int32_t>(d), d + 1 == made.shape.size()});
  }
  spec.operands = {spec.output};
  made.spec = static_cast<int32_t>(program_.specs.size());
  program_.specs.push_back(std::move(spec));
  append(std::move(made));
}

void RandomProgram::add_integer() {
  const CoreId x = pick([&](CoreId id) { return !has_floats(id); });
  if (x == kNone) return;
  const Shape shape = op(x).shape;
  CoreId other = of_shape(shape, false);
  if (below(2) == 0) other = constant(below(12) - 3, DType::kInt64, shape);
  CoreOp made;
  made.dtype = DType::kInt64;
  made.shape = shape;
  made.operands = {x, other};
  const bool logic = is_bool(op(x).dtype) && is_bool(op(other).dtype);
  switch (below(6)) {
    case 0:
      made.prim = Prim::kLinear;
      made.coefs = {Rational(1), Rational(below(4) - 2)};
      break;
    case 1:
      made.prim = Prim::kMul;
      break;
    case 2:
    case 3: {
      made.prim = Prim::kMap;
      made.dtype = DType::kBool;
      const char* compare[] = {"ge", "gt", "le", "lt", "eq", "ne"};
      const char* logical[] = {"and", "or", "xor"};
      made.fn = logic ? logical[below(3)] : compare[below(6)];
      break;
    }
    case 4:
      if (!is_bool(op(x).dtype)) return;
      made.prim = Prim::kKeep;
      break;
    default: {
      const DType dtypes[] = {DType::kFloat32, DType::kBool, DType::kInt64, DType::kInt8};
      made.prim = Prim::kCast;
      made.operands = {x};
      made.dtype = dtypes[below(4)];
    }
  }
  append(std::move(made));
}

void RandomProgram::add_one_hot() {
  const CoreId x = pick([&](CoreId id) {
    return op(id).dtype == DType::kInt64 && element_count(op(id).shape) <= 24;
  });
  if (x == kNone) return;
  CoreOp made;
  made.prim = Prim::kOneHot;
  made.dtype = DType::kFloat32;
  made.operands = {x};
  made.shape = op(x).shape;
  made.shape.push_back(2 + below(7));
  append(std::move(made));
}

CoreId RandomProgram::append(Prim prim, DType dtype, Shape shape, std::vector<CoreId> operands) {
  CoreOp made;
  made.prim = prim;
  made.dtype = dtype;
  made.shape = std::move(shape);
  made.operands = std::move(operands);
  return append(std::move(made));
}

CoreId RandomProgram::broadcast(CoreId x, Shape ones, const Shape& shape) {
  const DType dtype = op(x).dtype;
  const CoreId reshaped = append(Prim::kReshape, dtype, std::move(ones), {x});
  return append(Prim::kExpand, dtype, shape, {reshaped});
}

void RandomProgram::add_masked_gather() {
  const CoreId ids = pick([&](CoreId id) {
    return op(id).dtype == DType::kInt64 && element_count(op(id).shape) <= 12;
  });
  const CoreId table = pick([&](CoreId id) {
    return has_floats(id) && op(id).shape.size() == 2 && element_count(op(id).shape) <= 40;
  });
  if (ids == kNone || table == kNone) return;
  const Shape index = op(ids).shape;
  const int64_t rows = op(table).shape[0], columns = op(table).shape[1];
  Shape with_rows = index;
  with_rows.push_back(rows);
  const CoreId one_hot = append(Prim::kOneHot, DType::kFloat32, with_rows, {ids});
  Shape domain = with_rows, ones = with_rows;
  domain.push_back(columns);
  ones.push_back(1);
  const CoreId left = broadcast(one_hot, ones, domain);
  ones.assign(index.size(), 1);
  ones.insert(ones.end(), {rows, columns});
  const CoreId right = broadcast(table, ones, domain);
  const CoreId product = append(Prim::kMul, DType::kFloat32, domain, {left, right});
  Shape result = index;
  result.push_back(columns);
  const CoreId sum = append(Prim::kReduceSum, DType::kFloat32, result, {product});
  program_.ops.back().ints = {static_cast<int64_t>(index.size())};
  const CoreId bound = constant(below(rows + 1), DType::kInt64, index);
  const CoreId mask = append(Prim::kMap, DType::kBool, index, {ids, bound});
  program_.ops.back().fn = below(2) == 0 ? "ge" : "lt";
  ones = index;
  ones.push_back(1);
  append(Prim::kKeep, DType::kFloat32, result, {broadcast(mask, ones, result), sum});
}

void RandomProgram::add_any() {
  const int64_t kind = below(20);
  if (kind < 7) return add_movement();
  if (kind < 12) return add_arithmetic();
  if (kind < 14) return add_reduction();
  if (kind < 15) return add_block();
  if (kind < 18) return add_integer();
  if (kind < 19) return add_one_hot();
  add_masked_gather();
}

}  // namespace assay::test
