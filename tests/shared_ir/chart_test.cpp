// What a chart and the plot of tolerances show.
#include <gmock/gmock.h>

#include "shared_ir/base/error.h"
#include "shared_ir/report/chart.h"
#include "shared_ir/report/report.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Chart, HasALineWithItsNameForEachCurve) {
  const std::string svg = to_svg({.title = "a < b",
                                  .x_label = "x",
                                  .y_label = "y",
                                  .x_ticks = {{0, "1"}, {1, "2"}},
                                  .y_ticks = quarters(),
                                  .lines = {{"float32", {{0, 0}, {1, 1}}}, {"bfloat16", {}}},
                                  .marks = {{1, 1, "here"}}});
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"70.0,340.0 600.0,40.0 \""));
  EXPECT_THAT(svg, HasSubstr(">float32<"));
  EXPECT_THAT(svg, HasSubstr(">bfloat16<"));
  EXPECT_THAT(svg, HasSubstr(">0.75<"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"600.0\" cy=\"40.0\""));
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
}

// Errors of 1e-6 and 1e-2, of which 1e-4 each are allowed: the axis is 1e-6 to 1e-2, so that 1e-4
// lies in the middle.
DynamicReport two_tensors(bool second_within) {
  DynamicReport report;
  report.precision = "float32";
  report.tolerances = {{"x", 1e-4, 1e-6, "", "", true},
                       {"y", 1e-4, 1e-2, "aten.mm.default", "mlp.cpp:3", second_within}};
  return report;
}

TEST(TolerancePlot, ShowsErrorsAndTolerancesInOrderOnALogarithmicScale) {
  const std::string svg = tolerance_plot("mlp", two_tensors(true));
  EXPECT_THAT(svg, HasSubstr("mlp, float32: error against tolerance"));
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"70.0,190.0 600.0,190.0 \""));  // allowed
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"70.0,340.0 600.0,40.0 \""));   // seen
  EXPECT_THAT(svg, HasSubstr(">1e-6<"));
  EXPECT_THAT(svg, Not(HasSubstr("<circle")));
}

TEST(TolerancePlot, MarksTheFirstTensorThatDeviates) {
  const std::string svg = tolerance_plot("mlp", two_tensors(false));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"600.0\" cy=\"40.0\""));
  EXPECT_THAT(svg, HasSubstr("y aten.mm.default"));
}

TEST(TolerancePlot, OfNothingIsTheUsersError) {
  EXPECT_THROW(tolerance_plot("mlp", DynamicReport()), UserError);
}

}  // namespace
}  // namespace assay
