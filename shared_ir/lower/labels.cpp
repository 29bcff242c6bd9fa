#include "shared_ir/lower/labels.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::lowering {
namespace {

bool parse_dims(std::string_view text, std::vector<LabelledDim>& dims) {
  size_t at = 0;
  while (true) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at == text.size()) return true;
    size_t end = std::min(text.find(' ', at), text.size());
    std::string label(text.substr(at, end - at));
    at = end;
    bool whole = label.size() > 1 && label.back() == '*';
    if (whole) label.pop_back();
    bool ellipsis = label == "...";
    if (ellipsis && (whole || !dims.empty())) return false;
    if (!ellipsis &&
        !std::all_of(label.begin(), label.end(), [](unsigned char c) { return std::isalnum(c); }))
      return false;
    for (const LabelledDim& other : dims)
      if (other.label == label) return false;
    dims.push_back({std::move(label), whole});
  }
}

class Binder {
 public:
  Binder(const LabelSpec& spec, const std::vector<Shape>& shapes) : spec_(spec), shapes_(shapes) {}

  BoundLabels bind() {
    if (spec_.operands.size() != shapes_.size())
      return failed(
          fmt::format("{} operands given, {} expected", shapes_.size(), spec_.operands.size()));
    for (size_t i = 0; i < shapes_.size(); ++i)
      if (!count_ellipsis(i)) return failed(misfit(i));
    for (bool whole : {true, false})
      for (const auto& dims : spec_.operands) number(dims, whole);
    bound_.sizes.assign(numbers_.size(), -1);
    for (size_t i = 0; i < shapes_.size(); ++i) {
      bound_.operands.push_back(dims_of(spec_.operands[i]));
      for (size_t d = 0; d < shapes_[i].size(); ++d) {
        int64_t& size = bound_.sizes[bound_.operands[i][d].label];
        if (size >= 0 && size != shapes_[i][d]) return failed(misfit(i));
        size = shapes_[i][d];
      }
    }
    bound_.output = dims_of(spec_.output);
    return std::move(bound_);
  }

 private:
  BoundLabels failed(std::string why) {
    BoundLabels result;
    result.error = std::move(why);
    return result;
  }

  std::string misfit(size_t i) const {
    return fmt::format("operand {} has shape [{}], which does not fit the others", i,
                       fmt::join(shapes_[i], ", "));
  }

  // All operands with "..." share the same leading dimensions.
  bool count_ellipsis(size_t i) {
    const auto& dims = spec_.operands[i];
    auto extra = static_cast<int64_t>(shapes_[i].size()) - static_cast<int64_t>(dims.size());
    if (dims.empty() || dims[0].label != "...") return extra == 0;
    if (++extra < 0 || (ellipsis_ >= 0 && ellipsis_ != extra)) return false;
    ellipsis_ = extra;
    return true;
  }

  std::vector<std::string> names(const LabelledDim& dim) const {
    if (dim.label != "...") return {dim.label};
    std::vector<std::string> result;
    for (int64_t i = 0; i < ellipsis_; ++i) result.push_back(fmt::format("...{}", i));
    return result;
  }

  void number(const std::vector<LabelledDim>& dims, bool whole) {
    for (const LabelledDim& dim : dims)
      if (dim.whole == whole)
        for (const std::string& name : names(dim))
          numbers_.emplace(name, static_cast<int32_t>(numbers_.size()));
  }

  std::vector<BoundLabels::Dim> dims_of(const std::vector<LabelledDim>& dims) {
    std::vector<BoundLabels::Dim> result;
    for (const LabelledDim& dim : dims)
      for (const std::string& name : names(dim)) result.push_back({numbers_.at(name), dim.whole});
    return result;
  }

  const LabelSpec& spec_;
  const std::vector<Shape>& shapes_;
  int64_t ellipsis_ = -1;
  std::map<std::string, int32_t> numbers_;
  BoundLabels bound_;
};

}  // namespace

bool parse_label_spec(std::string_view text, LabelSpec& spec) {
  size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return false;
  std::string_view operands = text.substr(0, arrow);
  while (true) {
    size_t comma = std::min(operands.find(','), operands.size());
    if (!parse_dims(operands.substr(0, comma), spec.operands.emplace_back())) return false;
    if (comma == operands.size()) break;
    operands.remove_prefix(comma + 1);
  }
  if (!parse_dims(text.substr(arrow + 2), spec.output)) return false;
  for (const LabelledDim& dim : spec.output) {
    bool known = std::any_of(spec.operands.begin(), spec.operands.end(), [&](const auto& dims) {
      return std::any_of(dims.begin(), dims.end(),
                         [&](const LabelledDim& other) { return other.label == dim.label; });
    });
    if (!known) return false;
  }
  return true;
}

BoundLabels bind_labels(const LabelSpec& spec, const std::vector<Shape>& shapes) {
  return Binder(spec, shapes).bind();
}

}  // namespace assay::lowering
