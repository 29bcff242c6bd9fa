# Run by assay_embed_files: writes ${folder}/${function}.h and .cpp from ${files} below ${base}.

set(rows "")
foreach(file IN LISTS files)
  file(READ "${base}/${file}" text)
  string(APPEND rows "    {\"${file}\", R\"__assay__(${text})__assay__\"},\n")
endforeach()

file(WRITE "${folder}/${function}.h" "#pragma once

#include <span>

#include \"embedded_file.h\"

namespace assay {
std::span<const EmbeddedFile> ${function}();
}
")

file(WRITE "${folder}/${function}.cpp" "#include \"${function}.h\"

// Compilers need not take texts of more than 65,536 characters; those that the project knows do.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace assay {
std::span<const EmbeddedFile> ${function}() {
  static constexpr EmbeddedFile kFiles[] = {
${rows}};
  return kFiles;
}
}
#pragma GCC diagnostic pop
")
