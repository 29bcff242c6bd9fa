// Data of the tensors that an exported program holds itself: ROOT/data/constants.
// Source: torch/export/pt2_archive of torch 2.11: a table of names beside one file of raw elements
// for each storage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "shared_ir/graph.h"
#include "shared_ir/import/json_text.h"
#include "shared_ir/import/pt2/pt2_archive.h"

namespace assay::pt2 {

// Throws UserError that names the file for tables and data that are not as torch writes them.
class Constants {
 public:
  // Larger ones are not read.
  static constexpr PlainInt kMostElements = PlainInt{1} << 20;

  // An archive without constants has an empty table. The archive must outlive this.
  Constants(Archive& archive, const std::string& file);

  // Its elements in nested lists, by its layout. nullopt for one whose data is not raw (pickled
  // subclasses of tensors), is not in the archive, is too large, or is of a type that no tensor of
  // ours has.
  std::optional<Arg> value_of(std::string_view name, const Tensor& tensor) const;

 private:
  [[noreturn]] void fail(std::string_view name, const std::string& message) const;

  Archive& archive_;
  const std::string& file_;
  std::string table_;
  simdjson::dom::parser parser_;
  std::unordered_map<std::string_view, json::JsonObject> entries_;
};

}  // namespace assay::pt2
