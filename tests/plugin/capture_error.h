#pragma once

#include <string>

#include "assay/refinement.h"

namespace assay::test {

/// What the user is told of a specification that cannot be captured; empty when it can.
inline std::string capture_error(const RefinementSpec& spec) {
  try {
    capture_case(spec);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace assay::test
