// Attributes of an instruction, read by name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_ir/import/hlo/hlo_module.h"

namespace assay::hlo {

// Keyword arguments of a node.
using NamedArgs = std::vector<std::pair<std::string, Arg>>;

// `value` is any alternative of Arg::value.
template <typename T>
void add_argument(NamedArgs& arguments, std::string_view name, T value) {
  arguments.emplace_back(name, Arg{}).second.value = std::move(value);
}

// The names of those that the importer knows.
std::vector<std::string_view> known_attributes();

ArgList list_of(const std::vector<int64_t>& numbers);

// Text that identifies the function of a computation; throws UserError where it is no function.
using FunctionText = std::function<std::string(std::string_view name)>;

// Reads one instruction's attributes. All of them must be asked for, by name or as arguments;
// hints, which change no value, are left out from the start.
class AttributeReader {
 public:
  // Throws UserError for an attribute that HLO does not have, and for a sharding where the module
  // is not partitioned yet.
  AttributeReader(const Source& source, const Instruction& instruction);

  bool empty() const { return entries_.empty(); }
  bool has(std::string_view name) const;
  // Each throws UserError where the attribute is missing or of another form.
  std::string_view text(std::string_view name);  // as written
  int64_t integer(std::string_view name);
  std::vector<int64_t> integers(std::string_view name);  // "{0,1}"
  bool flag(std::string_view name);                      // false where it is absent
  std::string quoted(std::string_view name);             // without the quotes

  // The attributes that nobody asked for, as keyword arguments: numbers, lists of numbers, texts.
  // slice={[A:B:S],...} gives "starts", "limits" and "strides"; padding=A_B_C x ... gives "low",
  // "high" and "interior".
  NamedArgs arguments(const FunctionText& function);

  // Throws UserError at an attribute that nobody asked for.
  void finish() const;

 private:
  struct Entry {
    Attribute attribute;
    bool used = false;
  };

  const Attribute& take(std::string_view name);

  const Source& source_;
  const Instruction& instruction_;
  std::vector<Entry> entries_;
};

}  // namespace assay::hlo
