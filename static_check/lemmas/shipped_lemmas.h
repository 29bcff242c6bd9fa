// The lemmas that ship with Assay: data, in lemmas/*.toml.
#pragma once

#include <filesystem>
#include <vector>

#include "shared_ir/proof/lemma.h"

namespace assay {

LemmaTable builtin_lemmas();

// These and the user's. Throws UserError as LemmaTable::add_text does.
LemmaTable lemmas_with_files(const std::vector<std::filesystem::path>& files);

}  // namespace assay
