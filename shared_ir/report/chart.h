// A line chart as SVG.
#pragma once

#include <string>
#include <vector>

namespace assay::bench {

struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x, y; x as the axis' labels, 0 <= y <= 1
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> x_ticks;  // at x = 0, 1, 2, ...
  std::vector<Line> lines;
};

// One self-contained <svg> element.
std::string to_svg(const Chart& chart);

}  // namespace assay::bench
