#include <simdjson.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <unordered_set>
#include <utility>

#include "shared_ir/base/error.h"
#include "shared_ir/trace/trace_index.h"

namespace assay::trace {
namespace {

using JsonValue = simdjson::dom::element;
// The values of an object by their keys.
using Fields = std::map<std::string_view, JsonValue>;

std::string known_dtypes() {
  std::string names;
  for (int i = 0; i <= static_cast<int>(DType::kFloat64); ++i) {
    names += (i ? ", " : "") + std::string(to_string(static_cast<DType>(i)));
  }
  return names;
}

class IndexReader {
 public:
  explicit IndexReader(const std::string& file) : file_(file) {}

  Index run(std::string_view text) {
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(text);
    JsonValue root;
    const auto error = parser.parse(padded).get(root);
    if (error != simdjson::SUCCESS) {
      fail(std::string("is no JSON: ") + simdjson::error_message(error));
    }
    check_version(root);
    const Fields fields =
        fields_of(root, {"assay_trace", "program", "rank", "world_size", "precision", "tensors"},
                  {"seed", "producer"});
    Index index;
    read_run(fields, index.run);
    for (const JsonValue tensor : list(fields, "tensors")) {
      where_ = "tensor number " + std::to_string(index.tensors.size());
      read_tensor(tensor, index);
    }
    return index;
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint = kRecordAgain) const {
    throw UserError({file_}, where_ + " " + message, hint);
  }

  // Before anything else: a newer form may have other keys.
  void check_version(const JsonValue& root) const {
    int64_t version = 0;
    if (root.at_key("assay_trace").get(version) != simdjson::SUCCESS || version < 1) {
      fail("is not of a trace: it has no version \"assay_trace\"");
    }
    if (version > kTraceVersion) {
      throw UserError({file_},
                      "this trace has version " + std::to_string(version) +
                          "; this Assay reads version " + std::to_string(kTraceVersion),
                      "update Assay, or record the trace with its own recorder");
    }
  }

  Fields fields_of(const JsonValue& json, std::initializer_list<std::string_view> required,
                   std::initializer_list<std::string_view> optional) const {
    simdjson::dom::object object;
    if (json.get(object) != simdjson::SUCCESS) fail("is no object");
    Fields fields;
    for (const auto [key, value] : object) {
      const auto knows = [&, &name = key](const auto& keys) {
        return std::find(keys.begin(), keys.end(), name) != keys.end();
      };
      if (!knows(required) && !knows(optional)) {
        fail("has the unknown key \"" + std::string(key) + "\"");
      }
      if (!fields.emplace(key, value).second) fail("has \"" + std::string(key) + "\" twice");
    }
    for (const std::string_view key : required) {
      if (!fields.contains(key)) fail("has no \"" + std::string(key) + "\"");
    }
    return fields;
  }

  // Empty for an optional key that is not there.
  std::string text(const Fields& fields, std::string_view key) const {
    const auto found = fields.find(key);
    if (found == fields.end()) return {};
    std::string_view value;
    if (found->second.get(value) != simdjson::SUCCESS) {
      fail("has \"" + std::string(key) + "\", which is no text");
    }
    return std::string(value);
  }

  simdjson::dom::array list(const Fields& fields, std::string_view key) const {
    simdjson::dom::array elements;
    if (fields.at(key).get(elements) != simdjson::SUCCESS) {
      fail("has \"" + std::string(key) + "\", which is no list");
    }
    return elements;
  }

  Rank rank(const Fields& fields, std::string_view key) const {
    int64_t value = 0;
    if (fields.at(key).get(value) != simdjson::SUCCESS || !std::in_range<Rank>(value)) {
      fail("has \"" + std::string(key) + "\", which is no number of a rank");
    }
    return static_cast<Rank>(value);
  }

  DType dtype(const Fields& fields, std::string_view key) const {
    const std::string name = text(fields, key);
    const auto dtype = parse_dtype(name);
    if (!dtype || name != to_string(*dtype)) {
      fail("has unknown dtype '" + name + "'", "Assay knows " + known_dtypes());
    }
    return *dtype;
  }

  void read_run(const Fields& fields, TraceRun& run) const {
    run.program = text(fields, "program");
    run.rank = rank(fields, "rank");
    run.world_size = rank(fields, "world_size");
    run.precision = dtype(fields, "precision");
    if (const auto seed = fields.find("seed"); seed != fields.end()) {
      uint64_t value = 0;
      if (seed->second.get(value) != simdjson::SUCCESS) fail("has \"seed\", which is no count");
      run.seed = value;
    }
    run.producer = text(fields, "producer");
    check(run, file_);
  }

  void read_tensor(const JsonValue& json, Index& index) {
    const Fields fields = fields_of(json, {"name", "dtype", "shape", "data"}, {"op", "source"});
    TracedTensor& tensor = index.tensors.emplace_back();
    tensor.name = text(fields, "name");
    where_ = "tensor '" + tensor.name + "'";
    tensor.op = text(fields, "op");
    tensor.source = text(fields, "source");
    tensor.dtype = dtype(fields, "dtype");
    for (const JsonValue element : list(fields, "shape")) {
      int64_t size = 0;
      if (element.get(size) != simdjson::SUCCESS) fail("has a size that is no integer");
      tensor.shape.push_back(size);
    }
    check(tensor, file_);
    if (!names_.insert(tensor.name).second) {
      throw UserError({file_}, "there are two tensors '" + tensor.name + "'", kRecordAgain);
    }
    index.data.push_back(text(fields, "data"));
  }

  const std::string& file_;
  std::unordered_set<std::string> names_;
  std::string where_ = kIndexEntry;  // what is read
};

}  // namespace

Index parse_index(std::string_view json, const std::string& file) {
  return IndexReader(file).run(json);
}

}  // namespace assay::trace
