#include "bench/calibration/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::bench {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 70, kRight = 120, kTop = 40, kBottom = 60;
// Colours that the colour-blind tell apart (Okabe and Ito).
constexpr std::array<const char*, 4> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {}

  std::string svg() {
    text(kWidth / 2, kTop / 2, "middle", chart_.title);
    text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", chart_.x_label);
    text(kLeft, kTop - 8, "middle", chart_.y_label);
    for (int quarter = 0; quarter <= 4; ++quarter) {
      const double height = y(quarter / 4.0);
      stroke(kLeft, height, kWidth - kRight, height, "#dddddd");
      text(kLeft - 8, height + 4, "end", fmt::format("{}", quarter / 4.0));
    }
    for (size_t i = 0; i < chart_.x_ticks.size(); ++i)
      text(x(static_cast<double>(i)), kHeight - kBottom + 20, "middle", chart_.x_ticks[i]);
    for (size_t i = 0; i < chart_.lines.size(); ++i)
      line(chart_.lines[i], static_cast<double>(i), kColours[i % kColours.size()]);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n{}</svg>\n",
        kWidth, kHeight, body_);
  }

 private:
  double x(double place) const {
    const auto last = static_cast<double>(std::max<size_t>(chart_.x_ticks.size(), 2) - 1);
    return kLeft + place / last * (kWidth - kLeft - kRight);
  }
  double y(double share) const { return kHeight - kBottom - share * (kHeight - kTop - kBottom); }

  void text(double at_x, double at_y, const char* anchor, const std::string& words) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at_x,
                         at_y, anchor, words);
  }
  void stroke(double x1, double y1, double x2, double y2, const char* colour) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, colour);
  }
  void line(const Line& line, double number, const char* colour) {
    std::string points;
    for (const auto& [place, share] : line.points)
      points += fmt::format("{:.1f},{:.1f} ", x(place), y(share));
    body_ +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                    points, colour);
    const double left = kWidth - kRight + 12, height = kTop + 20 * number;
    stroke(left, height, left + 16, height, colour);
    text(left + 22, height + 4, "start", line.name);
  }

  const Chart& chart_;
  std::string body_;
};

}  // namespace

std::string to_svg(const Chart& chart) { return Drawing(chart).svg(); }

}  // namespace assay::bench
