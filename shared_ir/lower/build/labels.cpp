#include "shared_ir/lower/build/labels.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/symbolic/integer.h"

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

std::string misfit(const std::vector<Shape>& shapes, size_t i) {
  return fmt::format("operand {} has shape [{}], which does not fit the others", i,
                     fmt::join(shapes[i], ", "));
}

BoundLabels failed(std::string why) {
  BoundLabels result;
  result.error = std::move(why);
  return result;
}

// Gives each label a number, without sizes.
class Numbering {
 public:
  Numbering(const LabelSpec& spec, const std::vector<Shape>& shapes)
      : spec_(spec), shapes_(shapes) {}

  BoundLabels run() {
    if (spec_.operands.size() != shapes_.size())
      return failed(
          fmt::format("{} operands given, {} expected", shapes_.size(), spec_.operands.size()));
    for (size_t i = 0; i < shapes_.size(); ++i)
      if (!count_ellipsis(i)) return failed(misfit(shapes_, i));
    for (bool whole : {true, false})
      for (const auto& dims : spec_.operands) number(dims, whole);
    BoundLabels bound;
    for (const auto& dims : spec_.operands) bound.operands.push_back(dims_of(dims));
    bound.output = dims_of(spec_.output);
    bound.sizes.resize(numbers_.size());
    return bound;
  }

 private:
  // All operands with "..." share the same leading dimensions.
  bool count_ellipsis(size_t i) {
    const auto& dims = spec_.operands[i];
    auto extra = static_cast<Int>(shapes_[i].size()) - static_cast<Int>(dims.size());
    if (dims.empty() || dims[0].label != "...") return extra == 0;
    if (++extra < 0 || (ellipsis_ >= 0 && ellipsis_ != extra)) return false;
    ellipsis_ = extra;
    return true;
  }

  std::vector<std::string> names(const LabelledDim& dim) const {
    if (dim.label != "...") return {dim.label};
    std::vector<std::string> result;
    for (Int i = 0; i < ellipsis_; ++i) result.push_back(fmt::format("...{}", i));
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
  Int ellipsis_ = -1;
  std::map<std::string, int32_t> numbers_;
};

// False where an operand does not fit those before it; `misfit` says which.
bool set_sizes(BoundLabels& bound, const std::vector<Shape>& shapes, size_t& misfit) {
  bound.sizes.assign(bound.sizes.size(), -1);
  for (misfit = 0; misfit < shapes.size(); ++misfit) {
    for (size_t d = 0; d < shapes[misfit].size(); ++d) {
      Int& size = bound.sizes[static_cast<size_t>(bound.operands[misfit][d].label)];
      if (size >= 0 && size != shapes[misfit][d]) return false;
      size = shapes[misfit][d];
    }
  }
  return true;
}

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

const BoundLabels* LabelBinder::bind(const std::string& text, const std::vector<Shape>& shapes) {
  Key key{text, {}};
  for (const Shape& shape : shapes) key.second.push_back(shape.size());
  auto found = numbered_.find(key);
  if (found == numbered_.end()) {
    LabelSpec spec;
    if (!parse_label_spec(text, spec)) return nullptr;
    found = numbered_.emplace(std::move(key), Numbering(spec, shapes).run()).first;
  }
  BoundLabels& bound = found->second;
  size_t i = 0;
  if (!bound.error.empty() || set_sizes(bound, shapes, i)) return &bound;
  misfit_ = failed(misfit(shapes, i));
  return &misfit_;
}

}  // namespace assay::lowering
