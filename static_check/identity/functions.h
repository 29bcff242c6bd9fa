// Functions of elements and of blocks on numbers of the identity test.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/tensor.h"
#include "static_check/identity/algebra.h"
#include "static_check/identity/cases/index_range.h"
#include "static_check/identity/constants/host_constants.h"

namespace assay::identity {

// Of integers that may wrap, flags apart.
inline bool is_whole(DType dtype) { return is_integer(dtype) && !is_bool(dtype); }

// A function of elements of these types.
struct ElementFunction {
  ElementFunction(const std::string& function, std::span<const DType> types, DType result);

  std::string fn, name;  // with and without its attributes
  std::string typed;     // with the types of integers, by which functions wrap
  DType from, to;        // of the first operand, of the result
};

class Functions {
 public:
  // `host`: what literals are of others, where nothing else reads them. Both must outlive this.
  explicit Functions(Algebra& algebra, const std::map<double, HostConstant>* host = nullptr)
      : algebra_(algebra), host_(host) {}

  // A constant of a program. What is the nearest floating number to an irrational one that programs
  // write down (0.7071067811865476) stands for that.
  Number literal(const Rational& value);
  // Whether it is what was written, or is known by what it rounds to.
  bool is_read(double value);
  // What a constant is as a short decimal, as which it was written; `otherwise` where it is none.
  Number decimal(double value, const Number& otherwise);
  // The same of the nearest double.
  Number number(double value);
  // What literals were read as: "0.7071067811865476 is read as sqrt(1/2)".
  const std::set<std::string>& readings() const { return readings_; }

  // kMap: of the elements at one place.
  Number map(const ElementFunction& function, std::span<const Number> arguments);
  // A floating number that is an integer of the type that it is cast to.
  Number as_integer(const Number& value) const;
  Number cast(const Number& value, DType from, DType to);
  // The greatest (least) of all, integers apart, which may wrap.
  Number extremum(std::span<const Number> of, DType dtype, bool greatest);

  // kOneHot: the index is in this range. That those of the specification (`assumed`) are is an
  // assumption; a rank's must be in one of these, or known.
  void check_index(const Number& index, const IndexRange& range, DType dtype, bool assumed);
  // What lowering says of integers that the operator made.
  void learn_values(const CoreProgram& program, const CoreOp& op, std::span<const Number> made);
  // An index whose range is known, as a choice of its values; any other number as it is.
  Number by_values(const Number& index, DType dtype);
  // Whether it is this row of it.
  Number is_row(const Number& index, int64_t row, DType dtype);
  using IndexKey = std::pair<DType, uint64_t>;  // the type, and the key of the number
  // What each index may be that is no constant, whatever is decided in this case.
  const std::map<IndexKey, IndexRange>& ranges() const { return always_; }
  // Whether an index was compared before its range was known: then it was by other flags.
  // Since this was asked last.
  bool take_learned_late() { return std::exchange(learned_late_, false); }

  // kBlock: fills `result`. A function that is not known by a formula is a random one of all that
  // it reads.
  void block(const std::string& fn, const std::vector<reference::TensorOf<Number>>& operands,
             DType from, DType to, reference::TensorOf<Number>& result);

 private:
  // What reads a constant: constants/constants.cpp.
  std::optional<Number> written(double value);
  std::optional<Number> read(const Rational& value);
  std::optional<Number> of_host(double value);
  // Of flags.
  Number either(const Number& a, const Number& b);
  Number exclusive(const Number& a, const Number& b);
  Number compare(const std::string& name, const Number& a, const Number& b, DType of);
  std::optional<Number> of_constants(const std::string& fn, std::span<const Number> arguments);
  std::optional<Number> formula(const std::string& fn, std::span<const Number> arguments);
  bool is_left_out(const Number& x) const;
  Number plain_map(const ElementFunction& function, std::span<const Number> arguments);
  Number map_of_one(const ElementFunction& function, const Number& x);
  Number map_of_hidden(const std::string& fn, std::span<const Number> arguments);
  Number sigmoid(const Number& x);
  void note_reading(std::string text) { readings_.insert(std::move(text)); }
  Number magnitude(const Number& x);
  std::optional<Number> below_threshold(const reference::FunctionName& name, const Number& x);
  Number tanh(const Number& x);
  Number odd(std::string_view name, const Number& x);
  std::optional<Number> known_extremum(std::span<const Number> of, bool greatest);
  std::optional<Number> extreme_flag(std::span<const Number> of, bool greatest);
  std::optional<Number> chosen_extremum(std::span<const Number> of, bool greatest);
  // Functions of the order of a row, where that is known.
  bool by_order(const reference::FunctionName& fn, const reference::TensorOf<Number>& of,
                DType from, reference::TensorOf<Number>& result);
  void sorted(bool descending, const reference::TensorOf<Number>& of, std::vector<uint64_t> keys,
              reference::TensorOf<Number>& result);
  bool chosen(const reference::FunctionName& fn, const reference::TensorOf<Number>& of, DType from,
              reference::TensorOf<Number>& result);
  bool running(const reference::FunctionName& fn, const reference::TensorOf<Number>& of, DType from,
               reference::TensorOf<Number>& result);
  // matrices.cpp
  bool of_matrix(const reference::FunctionName& fn,
                 const std::vector<reference::TensorOf<Number>>& operands,
                 reference::TensorOf<Number>& result);
  // choices/inverse_orders.cpp
  bool is_order(const std::vector<Number>& row) const;
  bool inverse_order(const reference::FunctionName& fn, const reference::TensorOf<Number>& of,
                     DType from, reference::TensorOf<Number>& result);
  // Whether it is known as the place of an element. Throws NotRepresented where that may lie
  // outside.
  bool is_place_in(const Number& index, const IndexRange& range) const;
  // Of such a one, whether it is that place; nullopt of another number.
  std::optional<Number> is_place(const Number& index, int64_t place);
  Number gelu(bool exact, const Number& x);
  Number gelu_slope(bool exact, const Number& x);
  Number distribution(bool exact, const Number& x);
  Number inner_scale();
  Number root_of(int64_t numerator, int64_t denominator);

  std::optional<Number> is_row_of_known(const Number& index, int64_t row, DType dtype);
  // choices/integer_classes.cpp: of an integer and a constant; nullopt where the integer is asked
  // for no other comparison.
  std::optional<Number> compare_by_class(bool equal, const Number& a, const Number& b, DType of);
  std::optional<Number> compare_flag(bool equal, const Number& a, const Number& b);
  Number equal_integers(const Number& a, const Number& b, DType dtype);

  Algebra& algebra_;
  // What functions of one number gave, by its value, where it was no choice.
  std::map<std::string, std::unordered_map<uint64_t, Number>> of_sums_;
  const std::map<double, HostConstant>* const host_;
  void learn_range(const Number& index, const IndexRange& range, DType dtype);
  void note_always(const IndexKey& key, const IndexRange& range);

  struct IntegerClasses {
    std::set<std::pair<int64_t, bool>> asked;  // with what it was compared, whether for equality
    std::set<int64_t> points;
  };
  std::map<IndexKey, IntegerClasses> classes_;
  std::map<IndexKey, IndexRange> ranges_;  // in this case
  std::map<IndexKey, IndexRange> always_;
  std::map<uint64_t, std::vector<Number>> stands_at_;  // flags by the value of an element's place
  std::set<std::pair<DType, uint64_t>> compared_;      // integers, with constants
  bool learned_late_ = false;
  std::set<std::string> readings_;
};

}  // namespace assay::identity
