#include <algorithm>

#include "shared_ir/clean_expr.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

using Kind = CleanExpr::Kind;

constexpr Int kMaxPad = Int{1} << 60;

class ShapeOf {
 public:
  ShapeOf(const std::function<Shape(const std::string&, Rank)>& shape_of, const SourcePlace& place)
      : shape_of_(shape_of), place_(place) {}

  Shape of(const CleanExpr& expr) const {
    Shape shape = unbounded(expr);
    if (!element_count_fits(shape)) {
      fail(expr, "shape " + to_string(shape) + " has more than 2^60 elements");
    }
    return shape;
  }

 private:
  Shape unbounded(const CleanExpr& expr) const {
    switch (expr.kind) {
      case Kind::kTensor:
        return shape_of_(expr.name, expr.rank);
      case Kind::kConcat:
        return concat(expr);
      case Kind::kSlice:
        return slice(expr);
      case Kind::kSum:
        return sum(expr);
      case Kind::kPermute:
        return permute(expr);
      case Kind::kReshape:
        return reshape(expr);
      case Kind::kPad:
        return pad(expr);
      case Kind::kScale:
        return of(expr.operands.front());
    }
    throw InternalError("a clean expression of unknown kind");
  }

  [[noreturn]] void fail(const CleanExpr& expr, const std::string& message) const {
    throw UserError(place_, message + ", in " + to_string(expr));
  }

  size_t dim_of(const CleanExpr& expr, const Shape& shape) const {
    if (expr.dim < 0 || expr.dim >= static_cast<Int>(shape.size())) {
      fail(expr, "dim=" + decimal(expr.dim) + " does not exist in shape " + to_string(shape));
    }
    return static_cast<size_t>(expr.dim);
  }

  Shape concat(const CleanExpr& expr) const {
    Shape result = of(expr.operands.front());
    const size_t dim = dim_of(expr, result);
    for (size_t i = 1; i < expr.operands.size(); ++i) {
      Shape next = of(expr.operands[i]);
      const Int size = next.size() == result.size() ? next[dim] : 0;
      if (next.size() == result.size()) next[dim] = result[dim];
      if (next != result) {
        fail(expr, "operand " + std::to_string(i) + " of the concat has shape " +
                       to_string(of(expr.operands[i])) + ", which does not fit " +
                       to_string(of(expr.operands.front())));
      }
      result[dim] += size;
      if (!element_count_fits(result)) fail(expr, "the concat has more than 2^60 elements");
    }
    return result;
  }

  Shape slice(const CleanExpr& expr) const {
    Shape shape = of(expr.operands.front());
    const size_t dim = dim_of(expr, shape);
    if (expr.start < 0 || expr.start > expr.end || expr.end > shape[dim]) {
      fail(expr, "[" + decimal(expr.start) + ", " + decimal(expr.end) + ") is no range of dim " +
                     decimal(expr.dim) + " of shape " + to_string(shape));
    }
    shape[dim] = expr.end - expr.start;
    return shape;
  }

  Shape sum(const CleanExpr& expr) const {
    const Shape shape = of(expr.operands.front());
    for (size_t i = 1; i < expr.operands.size(); ++i) {
      const Shape next = of(expr.operands[i]);
      if (next != shape) {
        fail(expr, "a sum of shapes " + to_string(shape) + " and " + to_string(next));
      }
    }
    return shape;
  }

  Shape permute(const CleanExpr& expr) const {
    const Shape shape = of(expr.operands.front());
    std::vector<Int> sorted = expr.dims;
    std::sort(sorted.begin(), sorted.end());
    bool fits = sorted.size() == shape.size();
    for (size_t i = 0; fits && i < sorted.size(); ++i) fits = sorted[i] == static_cast<Int>(i);
    if (!fits) fail(expr, "dims is no order of the dimensions of shape " + to_string(shape));
    Shape result;
    for (Int dim : expr.dims) result.push_back(shape[static_cast<size_t>(dim)]);
    return result;
  }

  Shape reshape(const CleanExpr& expr) const {
    const Shape shape = of(expr.operands.front());
    const Int elements = element_count(shape);
    bool fits = true;
    Int count = 1;
    for (Int size : expr.dims) {
      fits = fits && size >= 0 && (size == 0 || count <= std::max<Int>(elements, 1) / size);
      if (fits) count *= size;
    }
    if (!fits || count != elements) {
      fail(expr, "shape " + to_string(shape) + " cannot be reshaped to " + to_string(expr.dims));
    }
    return expr.dims;
  }

  Shape pad(const CleanExpr& expr) const {
    Shape shape = of(expr.operands.front());
    const size_t dim = dim_of(expr, shape);
    if (expr.start < 0 || expr.end < 0 || expr.start > kMaxPad || expr.end > kMaxPad) {
      fail(expr, "before and after are numbers of zeros, at least 0");
    }
    shape[dim] += expr.start + expr.end;
    return shape;
  }

  const std::function<Shape(const std::string&, Rank)>& shape_of_;
  SourcePlace place_;
};

}  // namespace

Shape infer_shape(const CleanExpr& expr,
                  const std::function<Shape(const std::string&, Rank)>& shape_of,
                  const SourcePlace& place) {
  return ShapeOf(shape_of, place).of(expr);
}

}  // namespace assay
