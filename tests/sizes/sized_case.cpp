#include "tests/sizes/sized_case.h"

#include <cctype>
#include <fstream>
#include <iterator>

namespace assay::test {
namespace {

std::string json_shape(const std::string& shape) {
  std::string list;
  size_t from = 0;
  while (from < shape.size()) {
    size_t end = shape.find(',', from);
    if (end == std::string::npos) end = shape.size();
    std::string size = shape.substr(from, end - from);
    while (!size.empty() && size.front() == ' ') size.erase(0, 1);
    list += (list.empty() ? "\"" : ", \"") + size + "\"";
    from = end + 1;
  }
  return "[" + list + "]";
}

// %x becomes {"node": "x"}.
std::string json_arguments(const std::string& arguments) {
  std::string text;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != '%' || i + 1 == arguments.size() ||
        !std::isalpha(static_cast<unsigned char>(arguments[i + 1]))) {
      text += arguments[i];
      continue;
    }
    std::string name;
    while (i + 1 < arguments.size() && std::isalnum(static_cast<unsigned char>(arguments[i + 1])))
      name += arguments[++i];
    text += "{\"node\": \"" + name + "\"}";
  }
  return text;
}

}  // namespace

void SizedGraph::add(const std::string& op, const std::string& name, const std::string& target,
                     const std::string& arguments, const std::string& value) {
  nodes_ += (nodes_.empty() ? "" : ",\n") + std::string("{\"op\": \"") + op + "\", \"name\": \"" +
            name + "\", \"target\": \"" + target + "\", \"args\": [" + arguments +
            "], \"kwargs\": {}, \"value\": " + value +
            ", \"source\": \"model.py:" + std::to_string(++line_) + "\"}";
}

SizedGraph& SizedGraph::input(const std::string& name, const std::string& shape) {
  add("placeholder", name, name, "",
      "{\"dtype\": \"torch.float32\", \"shape\": " + json_shape(shape) + "}");
  return *this;
}

SizedGraph& SizedGraph::call(const std::string& name, const std::string& op,
                             const std::string& arguments, const std::string& shape) {
  add("call_function", name, op, json_arguments(arguments),
      "{\"dtype\": \"torch.float32\", \"shape\": " + json_shape(shape) + "}");
  return *this;
}

SizedGraph& SizedGraph::size(const std::string& name, const std::string& size) {
  add("call_function", name, "aten.sym_size.int", "", "{\"sym\": \"" + size + "\"}");
  return *this;
}

SizedGraph& SizedGraph::outputs(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "%" : ", %") + name;
  add("output", "output", "output", "[" + json_arguments(list) + "]", "null");
  return *this;
}

std::string SizedGraph::text() const {
  return "{\"format\": \"fx-json\", \"version\": 1, \"rank\": 0, \"nodes\": [\n" + nodes_ +
         "\n]}\n";
}

SizedCase::SizedCase(const SizedGraph& sequential, const SizedGraph& rank0, const SizedGraph& rank1,
                     const std::string& inputs, const std::string& symbols) {
  folder_.write("sequential.json", sequential.text());
  folder_.write("rank0.json", rank0.text());
  folder_.write("rank1.json", rank1.text());
  folder_.write("case.toml",
                "version = 1\nname = \"sized\"\n[sequential]\ngraphs = [\"sequential.json\"]\n"
                "[distributed]\ngraphs = [\"rank0.json\", \"rank1.json\"]\n"
                "[groups.distributed]\ntp = [0, 1]\n[symbols]\n" +
                    symbols + "\n[inputs]\n" + inputs + "\n");
}

void SizedCase::replace(const std::string& from, const std::string& to) const {
  std::ifstream stream(path() / "case.toml");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  folder_.write("case.toml", text.replace(text.find(from), from.size(), to));
}

}  // namespace assay::test
