#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "shared_ir/base/error.h"
#include "shared_ir/report/chart.h"
#include "shared_ir/report/report.h"

namespace assay {
namespace {

constexpr size_t kLabels = 8;  // of the tensors' numbers

// Powers of ten between which everything lies that is not 0.
class LogarithmicScale {
 public:
  explicit LogarithmicScale(const std::vector<DynamicReport::Tolerance>& tensors) {
    std::optional<double> low, high;
    for (const auto& tensor : tensors) {
      for (const double value : {tensor.error, tensor.allowed}) {
        if (!(value > 0) || !std::isfinite(value)) continue;
        const double power = std::log10(value);
        low = std::min(low.value_or(power), power);
        high = std::max(high.value_or(power), power);
      }
    }
    low_ = std::floor(low.value_or(-1));
    high_ = std::max(std::ceil(high.value_or(0)), low_ + 1);
  }

  // 0 and what is no number lie at the ends.
  double place(double value) const {
    if (!(value > 0)) return value == 0 ? 0 : 1;
    return std::clamp((std::log10(value) - low_) / (high_ - low_), 0.0, 1.0);
  }

  std::vector<Chart::Tick> ticks() const {
    const double step = std::ceil((high_ - low_) / static_cast<double>(kLabels));
    std::vector<Chart::Tick> ticks;
    for (double power = low_; power <= high_; power += step)
      ticks.push_back({(power - low_) / (high_ - low_), fmt::format("1e{}", power)});
    return ticks;
  }

 private:
  double low_, high_;
};

}  // namespace

std::string tolerance_plot(const std::string& title, const DynamicReport& report) {
  const auto& tensors = report.tolerances;
  if (tensors.empty())
    throw UserError({}, title + ": no tensor was held against a tolerance",
                    "only runs of TEST_REFINEMENT have tolerances");
  const LogarithmicScale scale(tensors);
  Chart chart{.title = fmt::format("{}, {}: error against tolerance", title, report.precision),
              .x_label = "tensors in dependency order",
              .y_label = "relative error",
              .y_ticks = scale.ticks()};
  const size_t step = std::max<size_t>(1, (tensors.size() - 1) / kLabels);
  for (size_t i = 0; i < tensors.size(); i += step)
    chart.x_ticks.push_back({static_cast<double>(i), std::to_string(i)});
  if (chart.x_ticks.back().at < static_cast<double>(tensors.size() - 1))
    chart.x_ticks.push_back({static_cast<double>(tensors.size() - 1), ""});
  chart.lines = {{"allowed", {}}, {"seen", {}}};
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto x = static_cast<double>(i);
    chart.lines[0].points.emplace_back(x, scale.place(tensors[i].allowed));
    chart.lines[1].points.emplace_back(x, scale.place(tensors[i].error));
    if (!tensors[i].within && chart.marks.empty())
      chart.marks.push_back({x, scale.place(tensors[i].error),
                             fmt::format("{} {}", tensors[i].tensor, tensors[i].op)});
  }
  return to_svg(chart);
}

}  // namespace assay
