// Identities of real numbers, from which pairs of equal programs are drawn (table/*.toml). The
// prover has no part in them. A size b is of rows that nothing mixes, R is the number of ranks;
// part(x, dim) is this rank's part of x.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/identities/formula.h"

namespace assay::test {

struct IdentityOperand {
  // How the operand is drawn: real; positive, unit (between 0 and 1), small (between -1 and 1) and
  // probability (rows that add up to 1), which a function of other tensors makes such; mask; index.
  std::string kind;
  std::string name;
  std::vector<PairFormula> shape;  // over letters, each a size; R is the number of ranks
  PairFormula below;               // of an index: the rows of its table
};

struct PairIdentity {
  std::string name;
  std::vector<IdentityOperand> operands;
  PairFormula left, right;
  // The right side is of ranks: it has collectives, parts of operands, or the rank's number.
  bool of_ranks = false;
};

struct IdentityTable {
  // PyTorch's operators by the names that formulas have for them. Of one without an overload, that
  // is Scalar where the second operand is a number, else Tensor.
  std::map<std::string, std::string> operators;
  std::vector<PairIdentity> identities;
};

/// All tables of the folder. Throws UserError with the place of what is wrong.
IdentityTable load_identities(const std::filesystem::path& folder);

}  // namespace assay::test
