#include "shared_ir/lower/build/value.h"

#include <fmt/format.h>

#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

struct AttributeText {
  std::string operator()(NoArg) const { return "none"; }
  std::string operator()(const TensorRef&) const { return "tensor"; }
  std::string operator()(Int number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const {
    // fmt writes integral doubles as "1"; the shortest text that reads back to the same double
    // otherwise.
    return fmt::format("{}", number);
  }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(DType dtype) const { return std::string(to_string(dtype)); }
  std::string operator()(const ValueList& list) const {
    std::string text = "[";
    for (const Value& element : list) {
      if (text.size() > 1) text += ",";
      text += attribute_text(element);
    }
    return text + "]";
  }
};

}  // namespace

std::string attribute_text(const Value& value) { return std::visit(AttributeText{}, value.data); }

}  // namespace assay::lowering
