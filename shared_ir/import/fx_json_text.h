// The text of an fx-JSON file: parsing, and where things are in it, for errors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "shared_ir/error.h"

namespace assay::fx {

using Json = nlohmann::ordered_json;  // keyword arguments keep their order

class Text {
 public:
  // Both must outlive this object.
  Text(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // Throws UserError with line and column when the text is no JSON.
  Json parse() const;

  // Place of the node with this name; `occurrence` counts nodes that share the name, from 0.
  SourcePlace node_place(const std::string& name, int occurrence = 0) const;

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  // The error names the node and its line.
  [[noreturn]] void fail_at(const std::string& node, const std::string& message,
                            const std::string& hint = {}) const;

 private:
  SourcePlace place_of_byte(size_t byte) const;

  std::string_view text_;
  const std::string& file_;
};

}  // namespace assay::fx
