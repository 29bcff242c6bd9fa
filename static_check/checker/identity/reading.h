// How an evaluation reads what the programs have.
#pragma once

#include "static_check/checker/identity/constants/host_constants.h"

namespace assay::checker::identity {

class Cases;

struct Reading {
  // Logarithms of different numbers are independent, unless these are known to be products: then
  // logarithms have coefficients of all kinds. Otherwise they are what their exponentials are.
  bool formal_logs = false;
  // An index that is an input is a selection of what its table contains.
  bool by_values = false;
  Cases* cases = nullptr;  // what is discontinuous is decided
  const ComputedConstants* computed =
      nullptr;  // constants that are read as what they are of others
};

}  // namespace assay::checker::identity
