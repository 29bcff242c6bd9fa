#include "shared_ir/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shared_ir/report/markup.h"

namespace assay {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 70, kRight = 120, kTop = 40, kBottom = 60;
// Colours that the colour-blind tell apart (Okabe and Ito).
constexpr std::array<const char*, 5> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00"};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
    if (!chart.x_ticks.empty()) last_ = std::max(last_, chart.x_ticks.back().at);
  }

  std::string svg() {
    text(kWidth / 2, kTop / 2, "middle", chart_.title);
    text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", chart_.x_label);
    text(kLeft, kTop - 8, "middle", chart_.y_label);
    for (const Chart::Tick& tick : chart_.y_ticks) {
      stroke(kLeft, y(tick.at), kWidth - kRight, y(tick.at), "#dddddd");
      text(kLeft - 8, y(tick.at) + 4, "end", tick.words);
    }
    for (const Chart::Tick& tick : chart_.x_ticks)
      text(x(tick.at), kHeight - kBottom + 20, "middle", tick.words);
    for (size_t i = 0; i < chart_.lines.size(); ++i)
      line(chart_.lines[i], static_cast<double>(i), kColours[i % kColours.size()]);
    for (const Chart::Mark& mark : chart_.marks) point(mark);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n{}</svg>\n",
        kWidth, kHeight, body_);
  }

 private:
  double x(double place) const { return kLeft + place / last_ * (kWidth - kLeft - kRight); }
  double y(double share) const { return kHeight - kBottom - share * (kHeight - kTop - kBottom); }

  void text(double at_x, double at_y, const char* anchor, const std::string& words) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at_x,
                         at_y, anchor, escape_markup(words));
  }
  void stroke(double x1, double y1, double x2, double y2, const char* colour) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, colour);
  }
  void line(const Chart::Line& line, double number, const char* colour) {
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
  // Its words stand on the side where there is more room.
  void point(const Chart::Mark& mark) {
    body_ +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"none\" stroke=\"{}\"/>\n",
                    x(mark.x), y(mark.y), "#000000");
    const bool right = mark.x > last_ / 2;
    text(x(mark.x) + (right ? -8 : 8), y(mark.y) - 8, right ? "end" : "start", mark.words);
  }

  const Chart& chart_;
  double last_ = 1;
  std::string body_;
};

}  // namespace

std::vector<Chart::Tick> quarters() {
  std::vector<Chart::Tick> ticks;
  for (int quarter = 0; quarter <= 4; ++quarter)
    ticks.push_back({quarter / 4.0, fmt::format("{}", quarter / 4.0)});
  return ticks;
}

std::string to_svg(const Chart& chart) { return Drawing(chart).svg(); }

}  // namespace assay
