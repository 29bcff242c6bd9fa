#include "shared_ir/lower/declare/declaration.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "shared_ir/base/toml_keys.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

class DeclarationParser {
 public:
  DeclarationParser(const std::string& name, const SourcePlace& place) : place_(place) {
    result_.name = name;
    result_.place = place;
  }

  OperatorDeclaration parse(std::string_view text) {
    const toml::table table = parsed(text);
    if (table.size() != 1 || table.begin()->first.str() != result_.name)
      throw UserError(place_, fmt::format("operator '{}': expected its table alone", result_.name),
                      "each table starts in the first column of a line");
    const toml::table& body = *table.begin()->second.as_table();
    for (const auto& [key, node] : body)
      if (!std::count(std::begin(kKeys), std::end(kKeys), key.str()))
        fail(node, fmt::format("unknown key '{}'", key.str()));
    read_schema(body);
    read_lets(body);
    read_returns(body);
    read_writes(body);
    if (const toml::node* assume = body.get("assume")) result_.assume = text_of(*assume);
    read_in_flight(body);
    if (const toml::node* error = body.get("kernel_error")) {
      if (!error->is_floating_point() || *error->value<double>() <= 0)
        fail(*error, "kernel_error must be a positive number, such as 1e-7");
      result_.kernel_error = *error->value<double>();
    }
    if (const toml::node* each = body.get("each")) {
      if (!each->is_boolean()) fail(*each, "each must be true, or the name must have a '*'");
      result_.each = *each->value<bool>();
    }
    for (const auto* expressions : {&result_.lets, &result_.returns, &result_.writes}) {
      for (const Expr& expr : *expressions) {
        result_.communicates = result_.communicates || communicates(expr);
        result_.waits = result_.waits || (expr.builtin != nullptr && expr.builtin->name == "wait");
      }
    }
    return std::move(result_);
  }

 private:
  static constexpr std::string_view kKeys[] = {
      "schema", "also", "let", "returns", "writes", "assume", "each", "in_flight", "kernel_error"};

  static constexpr size_t kMaxLets = 64;  // bounds how deep lets use each other

  SourcePlace place_of(const toml::source_region& region) const {
    SourcePlace place = place_;
    place.line += static_cast<PlainInt>(region.begin.line) - 1;
    place.column = region.begin.column;
    return place;
  }

  // Errors name the lines of the whole file.
  toml::table parsed(std::string_view text) const {
    try {
      refuse_deep_keys(text, place_.file);
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      throw UserError(place_of(error.source()), std::string(error.description()));
    } catch (const UserError& error) {
      SourcePlace place = error.place();
      place.line += place_.line - 1;
      throw UserError(place, error.message(), error.hint());
    }
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw UserError(place_of(node.source()),
                    fmt::format("operator '{}': {}", result_.name, message));
  }

  std::string text_of(const toml::node& node) const {
    if (auto text = node.value<std::string>()) return *text;
    fail(node, "expected a text");
  }

  // The place of a text's first character: behind its quote.
  SourcePlace inside(const toml::node& node) const {
    SourcePlace place = place_of(node.source());
    ++place.column;
    return place;
  }

  void read_schema(const toml::table& body) {
    const toml::node* schema = body.get("schema");
    if (!schema) throw UserError(place_, fmt::format("operator '{}' has no schema", result_.name));
    std::string text = text_of(*schema);
    result_.parameters = parse_schema(text, inside(*schema));
  }

  Expr expression(const toml::node& node) const {
    std::string text = text_of(node);
    return parse_expression(text, inside(node), [this](std::string_view name) {
      Expr found;
      for (size_t i = 0; i < result_.parameters.size(); ++i)
        if (result_.parameters[i].name == name)
          found.kind = Expr::Kind::kParameter, found.index = static_cast<int32_t>(i);
      if (auto let = lets_.find(name); let != lets_.end())
        found.kind = Expr::Kind::kLet, found.index = let->second;
      return found;
    });
  }

  // A let may use any other, but none itself: they are parsed after all names are known, then
  // checked for cycles.
  void read_lets(const toml::table& body) {
    const toml::node* node = body.get("let");
    if (!node) return;
    if (!node->is_table()) fail(*node, "let must be a table");
    const toml::table& lets = *node->as_table();
    if (lets.size() > kMaxLets) fail(*node, fmt::format("more than {} lets", kMaxLets));
    for (const auto& [name, text] : lets)
      lets_.emplace(std::string(name.str()), static_cast<int32_t>(lets_.size()));
    for (const auto& [name, text] : lets) result_.lets.push_back(expression(text));
    state_.assign(result_.lets.size(), 0);
    int32_t i = 0;
    for (const auto& [name, text] : lets)
      if (!acyclic(i++)) fail(text, fmt::format("let '{}' uses itself", name.str()));
  }

  bool acyclic(int32_t let) {
    if (state_[let]) return state_[let] == 2;
    state_[let] = 1;
    if (!acyclic(result_.lets[let])) return false;
    state_[let] = 2;
    return true;
  }

  bool acyclic(const Expr& expr) {
    if (expr.kind == Expr::Kind::kLet) return acyclic(expr.index);
    return std::all_of(expr.children.begin(), expr.children.end(),
                       [this](const Expr& child) { return acyclic(child); });
  }

  static bool communicates(const Expr& expr) {
    const auto between_ranks = collective_builtins();
    const bool called =
        std::any_of(between_ranks.begin(), between_ranks.end(),
                    [&](const Builtin& builtin) { return &builtin == expr.builtin; });
    return called || std::any_of(expr.children.begin(), expr.children.end(), communicates);
  }

  void read_in_flight(const toml::table& body) {
    const toml::node* node = body.get("in_flight");
    if (!node) return;
    if (!node->is_array()) fail(*node, "in_flight must be a list of names");
    for (const toml::node& element : *node->as_array()) {
      const std::string name = text_of(element);
      if (name == "result") {
        result_.asynchronous = true;
        continue;
      }
      if (std::ranges::none_of(result_.parameters,
                               [&](const Parameter& one) { return one.name == name; }))
        fail(element, fmt::format("in_flight names '{}', which is no parameter", name));
      result_.read_in_flight.push_back(name);
    }
    if (!result_.asynchronous) fail(*node, "in_flight must name 'result', which is waited for");
  }

  void read_returns(const toml::table& body) {
    const toml::node* node = body.get("returns");
    if (!node) return;
    if (const toml::array* list = node->as_array()) {
      for (const toml::node& element : *list) result_.returns.push_back(expression(element));
    } else {
      result_.returns.push_back(expression(*node));
    }
  }

  void read_writes(const toml::table& body) {
    const toml::node* node = body.get("writes");
    if (node && !node->is_table()) fail(*node, "writes must be a table");
    const toml::table none;
    const toml::table& writes = node ? *node->as_table() : none;
    size_t used = 0;
    for (const Parameter& parameter : result_.parameters) {
      if (!parameter.written) continue;
      const toml::node* value = writes.get(parameter.name);
      if (!value)
        throw UserError(place_, fmt::format("operator '{}' does not say what it writes into '{}'",
                                            result_.name, parameter.name));
      result_.writes.push_back(expression(*value));
      ++used;
    }
    if (used != writes.size()) fail(*node, "writes names a parameter that is not marked with '!'");
    if (result_.returns.empty() && result_.writes.empty())
      throw UserError(place_,
                      fmt::format("operator '{}' returns and writes nothing", result_.name));
  }

  SourcePlace place_;
  OperatorDeclaration result_;
  std::map<std::string, int32_t, std::less<>> lets_;
  std::vector<char> state_;
};

}  // namespace

OperatorDeclaration parse_declaration(const std::string& name, std::string_view toml,
                                      const SourcePlace& place) {
  return DeclarationParser(name, place).parse(toml);
}

}  // namespace assay::lowering
