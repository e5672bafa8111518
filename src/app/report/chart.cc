// SPDX-License-Identifier: Apache-2.0
#include "app/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace protium {

namespace {

// Sizes in units of the SVG's viewBox.
constexpr double kWidth = 560, kHeight = 300;                       // The page scales it.
constexpr double kLeft = 58, kRight = 16, kTop = 18, kBottom = 44;  // Margins, for the labels.

// The extent of the data. A range of one value is drawn in the middle.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void Take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // From 0 at `low` to 1 at `high`.
  double Share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// Maps data to the viewBox, whose y grows downwards.
struct Frame {
  Range x, y;
  double X(double value) const { return kLeft + x.Share(value) * (kWidth - kLeft - kRight); }
  double Y(double value) const {
    return kHeight - kBottom - y.Share(value) * (kHeight - kTop - kBottom);
  }
};

bool Finite(const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second);
}

// Whether the first point is an outlier, as the loss of an untrained net often is: it lies above
// the others by more than three times their range. Scaled to show it, the chart would flatten the
// others, so it is drawn beyond the top, with its value as text.
bool FirstIsFarOff(const Chart& chart, const Series& series) {
  if (chart.whole) return false;
  Range rest;
  for (size_t i = 1; i < series.points.size(); ++i) {
    if (Finite(series.points[i])) rest.Take(series.points[i].second);
  }
  const double first = series.points.empty() ? 0 : series.points[0].second;
  return series.points.size() > 4 && first > rest.high + 3 * (rest.high - rest.low);
}

// The ranges of all series together, with 6 % of room above and below; a flat line gets a tenth of
// its value, so that it does not lie on an axis.
Frame FitFrame(const Chart& chart) {
  Frame frame;
  for (const Series& series : chart.series) {
    const size_t from = FirstIsFarOff(chart, series) ? 1 : 0;
    for (size_t i = 0; i < series.points.size(); ++i) {
      if (!Finite(series.points[i])) continue;
      frame.x.Take(series.points[i].first);
      if (i >= from) frame.y.Take(series.points[i].second);
    }
  }
  const double room = frame.y.high > frame.y.low ? 0.06 * (frame.y.high - frame.y.low)
                                                 : std::max(1e-9, 0.1 * std::abs(frame.y.high));
  frame.y.low -= room;
  frame.y.high += room;
  return frame;
}

// Horizontal lines with their values, values along the bottom, and the x axis.
std::string Axes(const Frame& frame, const std::string& x_name) {
  std::string svg;
  for (const double y : Ticks(frame.y.low, frame.y.high, 5)) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n",
        kLeft, kWidth - kRight, frame.Y(y), frame.Y(y), kLeft - 7, frame.Y(y) + 4, y);
  }
  for (const double x : Ticks(frame.x.low, frame.x.high, 6)) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.6g}</text>\n",
                       frame.X(x), kHeight - kBottom + 19, x);
  }
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                     kWidth - kRight, kHeight - 4, Escaped(x_name));
  return svg + fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>\n",
                           kLeft, kWidth - kRight, kHeight - kBottom);
}

// One series as a polyline; `number` chooses its color. Each dot has its values as a tooltip.
std::string DrawLine(const Frame& frame, const Series& series, size_t number) {
  std::string points, dots, beyond;
  for (const auto& point : series.points) {
    if (!Finite(point)) continue;
    const double x = frame.X(point.first), y = frame.Y(point.second);
    // Only a first point that is far off lies above the frame.
    if (y < kTop) {
      beyond = fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">from {:.4g}</text>\n", kLeft + 4,
                           kHeight - kBottom - 8, point.second);
    }
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
    if (!series.dots || y < kTop) continue;
    dots += fmt::format(
        "<circle class=\"dot{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\"><title>{} at {:.6g}: "
        "{:.6g}</title></circle>\n",
        number, x, y, Escaped(series.name), point.first, point.second);
  }
  if (!series.line) return dots;
  return fmt::format("<polyline class=\"line{}\" points=\"{}\"/>\n", number, points) + dots +
         beyond;
}

// Vertical lines with captions; a caption near the right edge stands to the left of its line.
std::string Marks(const Frame& frame, const Chart& chart) {
  std::string svg;
  for (const auto& [x, says] : chart.marks) {
    // Written so that NaN is left out, too.
    if (!(x >= frame.x.low && x <= frame.x.high)) continue;
    const bool late = frame.x.Share(x) > 0.7;
    svg += fmt::format(
        "<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4}\" text-anchor=\"{5}\">{6}</text>\n",
        frame.X(x), kTop, kHeight - kBottom, frame.X(x) + (late ? -5 : 5), kTop + 10,
        late ? "end" : "start", Escaped(says));
  }
  return svg;
}

}  // namespace

// Grid and marks first: later elements of an SVG are drawn over earlier ones.
std::string DrawChart(const Chart& chart) {
  const bool any = std::any_of(chart.series.begin(), chart.series.end(), [](const Series& each) {
    return std::any_of(each.points.begin(), each.points.end(), Finite);
  });
  if (!any) return {};
  const Frame frame = FitFrame(chart);
  std::string svg = fmt::format(
      "<figure><figcaption>{}</figcaption>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">\n",
      Escaped(chart.title), kWidth, kHeight, Escaped(chart.title));
  svg += Axes(frame, chart.x_name) + Marks(frame, chart);
  std::string legend;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    // Four colors, which repeat.
    svg += DrawLine(frame, chart.series[i], i % 4);
    legend +=
        fmt::format("<span><i class=\"key{}\"></i>{}</span>", i % 4, Escaped(chart.series[i].name));
  }
  return svg + "</svg>\n<div class=\"legend\">" + legend + "</div></figure>\n";
}

// Each tick is a multiple of the step, not a running sum, which would print 0.30000000000000004.
std::vector<double> Ticks(double low, double high, int wanted) {
  if (!(high > low)) return {low};
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough) break;
  }
  std::vector<double> ticks;
  for (double at = std::ceil(low / step); at * step <= high && ticks.size() < 20; at += 1) {
    ticks.push_back(at * step + 0.0);  // Without the sign of -0.
  }
  return ticks;
}

std::string Escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe.push_back(c);
    }
  }
  return safe;
}

}  // namespace protium
