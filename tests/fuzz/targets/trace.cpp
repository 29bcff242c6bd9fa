#include "shared_ir/base/error.h"
#include "shared_ir/trace/trace_index.h"
#include "shared_ir/trace/trace_reader.h"
#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {

void trace(std::string_view bytes) {
  constexpr std::string_view kZip = "PK";
  if (bytes.starts_with(kZip)) {
    TraceReader reader(bytes, "a.trace");
    for (size_t i = 0; i < reader.tensors().size(); ++i) {
      ASSAY_CHECK(reader.read(i).size() <= bytes.size(), "data larger than their archive");
    }
  } else {
    // Behind a checksum, few changes would arrive.
    const std::string text = to_json(trace::parse_index(bytes, "a.trace"));
    ASSAY_CHECK(to_json(trace::parse_index(text, "again.trace")) == text,
                "an index is another one when it is written and read again");
  }
}

}  // namespace assay::fuzz
