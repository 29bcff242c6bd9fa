// Small cases with certificates written by hand, all of them right.
#pragma once

#include "tests/support/claims/replay.h"

namespace assay::test {

inline CleanExpr parse(const std::string& text) { return parse_clean_expr(text, {}); }

/// y[4, 8] = x[4, 6] @ w[6, 8]; two ranks hold halves of the contracted dimension and all-reduce.
/// Atoms: x 0, w 1, the products 2, their sum 3 (label 0).
Replay row_parallel();

/// The same; two ranks hold halves of w's columns, y is their concat.
Replay column_parallel();

/// y[5, 3] = table[8, 3][ids[5]]; two ranks hold halves of the table, mask ids outside, all-reduce.
/// Atoms: ids 0, table 1, the constant 1 2, one-hot 3, products 4, their sum 5 (label 0).
Replay vocab_parallel();

/// y[4, 6] = softmax of x[4, 6] over dim 1; two ranks hold rows. Atoms: x 0, softmax 1.
Replay row_softmax();

}  // namespace assay::test
