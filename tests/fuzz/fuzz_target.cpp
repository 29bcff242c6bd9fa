#include "tests/fuzz/fuzz_target.h"

#include "shared_ir/base/error.h"

namespace assay::fuzz {

bool succeeds(const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const UserError& error) {
    ASSAY_CHECK(!error.message().empty(), "an error of the user says nothing");
    return false;
  }
}

}  // namespace assay::fuzz
