#include "shared_ir/report/report.h"

#include "shared_ir/base/error.h"
#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {

void report(std::string_view bytes) {
  const Report read = report_from_json(bytes, "report.json");
  const std::string text = to_json(read);
  ASSAY_CHECK(to_json(report_from_json(text, "again.json")) == text,
              "a report is another one when it is written and read again");
  for (const CaseReport& one : read.cases) to_text(one);
  to_junit(read);
  to_html(read);
}

}  // namespace assay::fuzz
