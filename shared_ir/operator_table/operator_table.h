// The table of operator declarations: what each captured operator means in core operators. Data, in
// operators/*.toml.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"

namespace assay {

// The one name of an operator: "aten::mm" and "aten.mm.default" are "aten.mm".
std::string normal_operator_name(std::string_view op);

struct OperatorDeclaration;  // lower/declaration.h

// Looks operators up by name; a declaration's body is parsed on first use.
class OperatorTable {
 public:
  OperatorTable();
  ~OperatorTable();
  OperatorTable(OperatorTable&&) noexcept;
  OperatorTable& operator=(OperatorTable&&) noexcept;

  // The declarations that ship with Assay.
  static OperatorTable builtin();

  // These and the user's (case.toml's [operators] files). Throws UserError with file and line for a
  // malformed or repeated declaration.
  static OperatorTable with_files(const std::vector<std::filesystem::path>& files);

  // Adds declarations; errors as with_files.
  void add_text(std::string_view toml, const std::string& file_name);

  // nullptr when undeclared. "aten.mm.default", "aten.mm" and "aten::mm" name the same operator
  // when the overload is "default".
  const OperatorDeclaration* find(std::string_view op) const;

  // Names as declared, sorted; other names of the same operator (`also`) included.
  std::vector<std::string> names() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
