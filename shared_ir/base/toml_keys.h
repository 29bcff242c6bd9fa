// What TOML++ does not bound.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// TOML++ reads and frees tables within tables by recursion and bounds the depth of values, but not
// that of keys: "a.a.a..." may be as long as the file. Throws UserError at the line of a key of too
// many parts; to be called before a text is parsed.
void refuse_deep_keys(std::string_view text, const std::string& file);

}  // namespace assay
