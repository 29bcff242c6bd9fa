// A line chart as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay {

struct Chart {
  struct Tick {
    double at;
    std::string words;
  };
  struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;  // x, y
  };
  // A point with words beside it.
  struct Mark {
    double x;
    double y;
    std::string words;
  };
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Tick> x_ticks{};  // the axis goes from 0 to the last, or to 1
  std::vector<Tick> y_ticks{};  // 0 <= y <= 1
  std::vector<Line> lines{};
  std::vector<Mark> marks{};
};

// y_ticks of shares: 0, 0.25, ..., 1.
std::vector<Chart::Tick> quarters();

// One self-contained <svg> element.
std::string to_svg(const Chart& chart);

}  // namespace assay
