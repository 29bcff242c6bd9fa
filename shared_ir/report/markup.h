// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Escapes & < > " and drops control characters that XML does not allow.
std::string escape_markup(std::string_view text);

}  // namespace assay
