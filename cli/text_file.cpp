#include "cli/text_file.h"

#include <fstream>
#include <iterator>

#include "shared_ir/base/error.h"

namespace assay::cli {

std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError({file}, "cannot read this file");
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw UserError({file}, "cannot write this file");
}

}  // namespace assay::cli
