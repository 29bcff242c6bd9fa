#include <fmt/format.h>

#include "shared_ir/report/markup.h"
#include "shared_ir/report/report.h"

namespace assay {

std::string to_junit(const Report& report) {
  size_t failures = 0, errors = 0;
  std::string body;
  for (const CaseReport& one : report.cases) {
    double ms = 0;
    if (one.statics) ms += one.statics->ms.import + one.statics->ms.check;
    if (one.dynamic) ms += one.dynamic->ms;
    body += fmt::format("  <testcase classname=\"assay\" name=\"{}\" time=\"{:.6f}\"",
                        escape_markup(one.name), ms / 1000);
    if (one.exit == 0) {
      body += "/>\n";
      continue;
    }
    const bool error = one.exit > 1;
    ++(error ? errors : failures);
    const char* element = error ? "error" : "failure";
    body += fmt::format(">\n    <{0} message=\"{1}\">{2}</{0}>\n  </testcase>\n", element,
                        to_string(one.verdict), escape_markup(to_text(one)));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"assay\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuite>\n",
      report.cases.size(), failures, errors, body);
}

}  // namespace assay
