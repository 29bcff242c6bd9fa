#include "static_check/smt/solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Restriction box(LabelId label, int64_t stride, int64_t radix, std::vector<Interval> in) {
  Restriction r;
  r.label = label;
  r.stride = stride;
  r.radix = radix;
  r.intervals = std::move(in);
  return r;
}

// k of [0, 6 * blocks): every third, and the runs between, by their place in blocks of six.
PartitionQuery thirds_and_runs(int64_t blocks = 1) {
  PartitionQuery query;
  query.sizes = {{0, 6 * blocks}};
  query.parts = {{box(0, 1, 3, {{0, 1}})}, {box(0, 1, 6, {{1, 3}})}, {box(0, 1, 6, {{4, 6}})}};
  return query;
}

// Five rectangles of a 3 x 3 grid around its middle: no two of them make a rectangle.
PartitionQuery pinwheel() {
  PartitionQuery query;
  query.sizes = {{0, 3}, {1, 12}};
  const auto part = [](Interval row, Interval column) {
    return Boxes{box(0, 1, 3, {row}), box(1, 4, 3, {column})};
  };
  query.parts = {part({0, 1}, {0, 2}), part({0, 2}, {2, 3}), part({2, 3}, {1, 3}),
                 part({1, 3}, {0, 1}), part({1, 2}, {1, 2})};
  return query;
}

TEST(Partition, OfPartsInDigitsThatDoNotNest) {
  Solver solver;
  EXPECT_EQ(solver.decide(thirds_and_runs()), Answer::kYes);
  EXPECT_EQ(solver.decide(thirds_and_runs(1 << 16)), Answer::kYes);
  EXPECT_THAT(solver.notes(), ElementsAre("z3: 2 queries"));
}

TEST(Partition, OfTwoLabels) {
  Solver solver;
  EXPECT_EQ(solver.decide(pinwheel()), Answer::kYes);
}

TEST(Partition, FailsWhereAPartOverlapsAndAnotherIsMissing) {
  Solver solver;
  PartitionQuery query = thirds_and_runs();
  query.parts[2] = {box(0, 1, 6, {{3, 5}})};
  EXPECT_EQ(solver.decide(query), Answer::kNo);
  EXPECT_EQ(solver.asked(), 1) << "the sizes do not tell";

  query = pinwheel();
  query.parts[4] = {box(0, 1, 3, {{0, 1}}), box(1, 4, 3, {{1, 2}})};
  EXPECT_EQ(solver.decide(query), Answer::kNo);
}

TEST(Partition, OfTheWrongSizeAsksNobody) {
  Solver solver;
  PartitionQuery incomplete = thirds_and_runs();
  incomplete.parts.pop_back();
  EXPECT_EQ(solver.decide(incomplete), Answer::kNo);
  PartitionQuery overlapping = thirds_and_runs();
  overlapping.parts.push_back({box(0, 1, 6, {{4, 5}})});
  EXPECT_EQ(solver.decide(overlapping), Answer::kNo);
  EXPECT_EQ(solver.asked(), 0);
  EXPECT_THAT(solver.notes(), IsEmpty());
}

TEST(Partition, WithinAPart) {
  Solver solver;
  PartitionQuery query = thirds_and_runs(4);
  query.sizes[1] = 8;
  query.whole = {box(1, 1, 8, {{2, 5}})};
  for (Boxes& part : query.parts) part.push_back(query.whole[0]);
  EXPECT_EQ(solver.decide(query), Answer::kYes);
  query.parts[0].back().intervals = {{2, 4}, {7, 8}};
  EXPECT_EQ(solver.decide(query), Answer::kNo);
}

TEST(Partition, OfBoxesOnOverlappingDigitsIsAskedWhateverTheSizes) {
  Solver solver;
  PartitionQuery query;
  query.sizes = {{0, 12}};
  const Restriction third = box(0, 1, 3, {{0, 1}}), even = box(0, 1, 2, {{0, 1}});
  query.parts = {{third, even}, {third, box(0, 1, 2, {{1, 2}})}, {box(0, 1, 3, {{1, 3}})}};
  EXPECT_EQ(solver.decide(query), Answer::kYes);
  query.parts[1] = {third};
  EXPECT_EQ(solver.decide(query), Answer::kNo) << "an overlap";
  query.parts[1] = query.parts[0];
  EXPECT_EQ(solver.decide(query), Answer::kNo) << "a gap";
}

TEST(Cover, MayOverlapButNotMiss) {
  Solver solver;
  PartitionQuery query = thirds_and_runs();
  query.parts.push_back({box(0, 1, 6, {{0, 2}})});
  EXPECT_EQ(solver.decide(query), Answer::kNo);
  query.may_overlap = true;
  EXPECT_EQ(solver.decide(query), Answer::kYes);
  query.parts.erase(query.parts.begin());
  EXPECT_EQ(solver.decide(query), Answer::kNo);
}

TEST(SolverAnswers, EqualQuestionsAreAskedOnce) {
  Solver solver;
  PartitionQuery query = thirds_and_runs();
  EXPECT_EQ(solver.decide(query), Answer::kYes);
  std::swap(query.parts[0], query.parts[2]);
  EXPECT_EQ(solver.decide(query), Answer::kYes);
  EXPECT_EQ(solver.asked(), 1);
  query.may_overlap = true;
  EXPECT_EQ(solver.decide(query), Answer::kYes);
  EXPECT_THAT(solver.notes(), ElementsAre("z3: 2 queries"));
}

TEST(SolverAnswers, AreUnknownWhenTheTimeIsUp) {
  Solver solver(std::chrono::milliseconds(1));
  PartitionQuery query;
  const int64_t parts = 400;
  query.sizes = {{0, 7 * 11 * 13 * parts}};
  for (int64_t p = 0; p < parts; ++p) {
    query.parts.push_back({box(0, 77, parts, {{p, p + 1}}), box(0, 1, 7, {{0, 7}})});
  }
  EXPECT_EQ(solver.decide(query), Answer::kUnknown);
  EXPECT_THAT(solver.notes(), ElementsAre("z3: 1 query"));
  EXPECT_THAT(solver.unanswered(), ElementsAre("z3: no answer to 1 query within 1 ms"));
}

TEST(SolverAnswers, AreUnknownWithoutTheModule) {
  ASSERT_EQ(setenv("ASSAY_MODULES", "/nowhere", 1), 0);
  Solver solver;
  EXPECT_EQ(solver.decide(thirds_and_runs()), Answer::kUnknown);
  EXPECT_EQ(solver.asked(), 0);
  EXPECT_TRUE(solver.notes().empty());
  EXPECT_THAT(solver.unanswered(),
              ElementsAre(HasSubstr("z3: not asked 1 query: libassay_smt.so")));
  unsetenv("ASSAY_MODULES");
}

}  // namespace
}  // namespace assay
