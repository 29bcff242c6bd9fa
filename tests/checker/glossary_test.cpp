// A rejection that names atoms says what they are made of.
#include "static_check/checker/glossary.h"

#include <gtest/gtest.h>

namespace assay::checker {
namespace {

// Atom 0 is an input of 12 elements, atom 1 the sum of its rows of 3, atom 2 its exponential.
Universe sums_of_rows() {
  Universe universe;
  Instance sum;
  sum.kind = Instance::Kind::kSum;
  sum.operands = {{0, 2}};
  InstanceLabel row, column;
  row.size = 4;
  row.strides = {3};
  row.out_stride = 1;
  column.tag = InstanceLabel::Tag::kReduced;
  column.size = 3;
  column.strides = {1};
  column.hidden = 7;
  sum.labels = {row, column};
  sum.output = 1;
  Instance exponential;
  exponential.kind = Instance::Kind::kMap;
  exponential.fn = "exp";
  exponential.operands = {{1, 0}};
  exponential.output = 2;
  universe.instances = {sum, exponential};
  Atom input, made;
  input.size = 12;
  made.kind = Atom::Kind::kInstance;
  made.instance = 0;
  universe.atoms = {input, made, made};
  universe.atoms[2].instance = 1;
  return universe;
}

TEST(Glossary, ExplainsWhatATextNamesAndWhatThatIsMadeOf) {
  EXPECT_EQ(glossary(sums_of_rows(), "claimed 2*a2[0], but it is 0"),
            "\n  a2: map exp a1[0]"
            "\n  a1: sum a0[2]; parallel 4: 3 -> 1; label 7 3: 1 -> 0"
            "\n  a0: kind 0 of 12");
}

TEST(Glossary, PassesOverWhatIsNoAtom) {
  EXPECT_EQ(glossary(sums_of_rows(), "tensor beta2 of a rank: a9, a1x1"),
            glossary(sums_of_rows(), "a1"));
  EXPECT_EQ(glossary(sums_of_rows(), "an operator"), "");
}

}  // namespace
}  // namespace assay::checker
