#include "static_check/lemmas/shipped_lemmas.h"

#include "lemma_files.h"

namespace assay {

LemmaTable builtin_lemmas() {
  LemmaTable table;
  for (const EmbeddedFile& file : lemma_files()) table.add_text(file.text, std::string(file.name));
  return table;
}

LemmaTable lemmas_with_files(const std::vector<std::filesystem::path>& files) {
  LemmaTable table = builtin_lemmas();
  for (const std::filesystem::path& file : files) table.add_file(file);
  return table;
}

}  // namespace assay
