// What lies in a .pt2 archive.
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/zip/zip_reader.h"

namespace assay::pt2 {

// `file` is the file that errors name; it and the stream must outlive this. Throws UserError for
// what is no archive with one program, and for what of it cannot be read.
class Archive {
 public:
  Archive(std::istream& stream, const std::string& file);

  // The text of the program, models/NAME.json.
  std::string program();

  // The bytes of data/PATH; nullopt where the archive has none.
  std::optional<std::string> data(const std::string& path);

 private:
  [[noreturn]] void fail(const std::string& message) const;
  std::string read(const ZipEntry& entry);

  const std::string& file_;
  std::optional<ZipReader> zip_;
  std::vector<ZipEntry> entries_;
  const ZipEntry* program_ = nullptr;
  std::string root_;  // the folder of all, with its slash
};

}  // namespace assay::pt2
