// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "app/report/chart.h"
#include "app/report/sections.h"

namespace protium {

namespace {

constexpr size_t kMostPoints = 400;

bool Is(const Json& event, const char* kind) {
  const auto found = event.find("event");
  return found != event.end() && *found == kind;
}

// A run that was taken up again repeats steps; the last word on each counts.
using Curve = std::map<double, double>;

void Add(Curve& curve, const Json& event, const char* x, const char* y) {
  const auto at = event.find(x), value = event.find(y);
  if (at == event.end() || value == event.end() || !at->is_number() || !value->is_number()) return;
  curve[at->get<double>()] = value->get<double>();
}

Series SeriesOf(std::string name, const Curve& curve) {
  Series series{.name = std::move(name), .dots = curve.size() <= 60};
  const size_t stride = curve.size() / kMostPoints + 1;
  size_t i = 0;
  for (const auto& point : curve) {
    if (i++ % stride == 0 || i == curve.size()) series.points.push_back(point);
  }
  return series;
}

std::map<std::string, Curve> ValidationCurves(const ReportFacts& facts) {
  std::map<std::string, Curve> curves;
  for (const Json& epoch : facts.result.value("history", Json::array())) {
    const Json values = epoch.value("validation", Json::object());
    for (const auto& [name, value] : values.items()) {
      if (name != "rows" && value.is_number()) {
        curves[name][epoch.value("epoch", 0.0)] = value.get<double>();
      }
    }
  }
  if (!curves.empty()) return curves;
  for (const Json& event : facts.events) {
    if (!Is(event, "validation")) continue;
    for (const auto& [name, value] : event.items()) {
      static constexpr std::string_view kPlaces[] = {"epoch", "step", "rows", "rank", "attempt"};
      const bool place =
          std::find(std::begin(kPlaces), std::end(kPlaces), name) != std::end(kPlaces);
      if (!place && value.is_number()) {
        Add(curves[name], event, "epoch", name.c_str());
      }
    }
  }
  return curves;
}

std::string LossCharts(const ReportFacts& facts) {
  Curve by_step, by_epoch;
  for (const Json& event : facts.events) {
    if (Is(event, "step")) Add(by_step, event, "step", "loss");
  }
  const Json history = facts.result.value("history", Json::array());
  for (const Json& epoch : history) Add(by_epoch, epoch, "step", "loss");
  Chart chart{.title = "Training loss", .x_name = "step"};
  if (by_step.size() > by_epoch.size()) chart.series.push_back(SeriesOf("at the step", by_step));
  if (!by_epoch.empty()) chart.series.push_back(SeriesOf("mean of the epoch", by_epoch));
  for (const Json& event : facts.events) {
    if (Is(event, "restart")) {
      const Json step = event.value("step", Json());
      if (step.is_number()) chart.marks.emplace_back(step.get<double>(), "restart");
    }
  }
  return DrawChart(chart);
}

}  // namespace

std::string CurvesSection(const ReportFacts& facts) {
  std::string charts = LossCharts(facts);
  const double best = facts.result.value("best_epoch", 0.0);
  for (const auto& [name, curve] : ValidationCurves(facts)) {
    Chart chart{
        .title = "Validation " + name, .x_name = "epoch", .series = {SeriesOf(name, curve)}};
    if (best > 0) chart.marks.emplace_back(best, fmt::format("kept: epoch {:.0f}", best));
    charts += DrawChart(chart);
  }
  return charts.empty() ? "" : "<h2>Curves</h2>\n<div class=\"charts\">\n" + charts + "</div>\n";
}

}  // namespace protium
