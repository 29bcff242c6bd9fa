#include "dynamic_check/run/execute/processes/patience.h"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "shared_ir/base/error.h"

namespace assay {

std::chrono::milliseconds patience() {
  const char* variable = std::getenv("ASSAY_PATIENCE");
  if (variable == nullptr) return std::chrono::minutes(1);
  const std::string_view text = variable;
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 1 || seconds > 86'400) {
    throw UserError({}, "ASSAY_PATIENCE is '" + std::string(text) + "'",
                    "set it to the seconds that processes are waited for, 1 to 86400");
  }
  return std::chrono::seconds(seconds);
}

}  // namespace assay
