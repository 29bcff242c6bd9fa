// What goes wrong in an evaluation proves nothing.
#pragma once

#include <stdexcept>
#include <string>

#include "shared_ir/base/error.h"
#include "shared_ir/rational.h"
#include "static_check/checker/facts/regions.h"

namespace assay::checker::identity {

// Throws Rejection for whatever the action throws.
template <class Action>
void reject_failures(const std::string& what, const Action& action) {
  try {
    action();
  } catch (const Rejection& rejection) {
    throw Rejection{what + rejection.reason};
  } catch (const RationalOverflow&) {
    throw Rejection{what + "a coefficient leaves 64 bits"};
  } catch (const UserError& error) {
    throw Rejection{what + error.what()};
  } catch (const std::out_of_range&) {
    throw Rejection{what + "a program or claim that is not well-formed"};
  }
}

}  // namespace assay::checker::identity
