#include "shared_ir/import/pt2/pt2.h"

#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {

void pt2(std::string_view bytes) {
  constexpr std::string_view kZip = "PK";
  if (bytes.starts_with(kZip)) {
    parse_pt2(bytes, "program.pt2");
  } else {
    // Behind a checksum, few changes would arrive.
    parse_pt2_program(bytes, "program.pt2");
  }
}

}  // namespace assay::fuzz
