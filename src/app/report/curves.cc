// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/report/chart.h"
#include "app/report/sections.h"
#include "run/events.h"

namespace protium {

namespace {

constexpr size_t kMostPoints = 400;  // More than the pixels of a chart can show.

using Curve = std::map<double, double>;

// Thins a long curve out to every nth point, keeping the last.
Series MakeSeries(std::string name, const Curve& curve) {
  Series series{.name = std::move(name), .dots = curve.size() <= 60};
  const size_t stride = curve.size() / kMostPoints + 1;
  size_t i = 0;
  for (const auto& point : curve) {
    if (i++ % stride == 0 || i == curve.size()) series.points.push_back(point);
  }
  return series;
}

// From result.json if the run is done; a run that was cut off has its events only.
std::map<std::string, Curve> ValidationCurves(const ReportFacts& facts, const RunView& view) {
  std::map<std::string, Curve> curves;
  for (const Json& epoch : facts.result.value("history", Json::array())) {
    const Json values = epoch.value("validation", Json::object());
    for (const auto& [name, value] : values.items()) {
      if (name != "rows" && value.is_number()) {
        curves[name][epoch.value("epoch", 0.0)] = value.get<double>();
      }
    }
  }
  return curves.empty() ? view.validation : curves;
}

// The loss at the steps that were reported, if there are more of them than epochs, and the mean of
// each epoch; restarts are marked.
std::string LossCharts(const ReportFacts& facts, const RunView& view) {
  const Curve& by_step = view.loss_by_step;
  Curve by_epoch;
  for (const Json& epoch : facts.result.value("history", Json::array())) {
    const auto step = epoch.find("step"), loss = epoch.find("loss");
    if (step == epoch.end() || loss == epoch.end() || !step->is_number() || !loss->is_number()) {
      continue;
    }
    by_epoch[step->get<double>()] = loss->get<double>();
  }
  Chart chart{.title = "Training loss", .x_name = "step"};
  if (by_step.size() > by_epoch.size()) chart.series.push_back(MakeSeries("at the step", by_step));
  if (!by_epoch.empty()) chart.series.push_back(MakeSeries("mean of the epoch", by_epoch));
  for (const int64_t step : view.restarts) chart.marks.emplace_back(double(step), "restart");
  return DrawChart(chart);
}

}  // namespace

std::string CurvesSection(const ReportFacts& facts) {
  const RunView view = MakeRunView(facts.events);
  std::string charts = LossCharts(facts, view);
  const double best = facts.result.value("best_epoch", 0.0);
  for (const auto& [name, curve] : ValidationCurves(facts, view)) {
    Chart chart{
        .title = "Validation " + name, .x_name = "epoch", .series = {MakeSeries(name, curve)}};
    if (best > 0) chart.marks.emplace_back(best, fmt::format("kept: epoch {:.0f}", best));
    charts += DrawChart(chart);
  }
  return charts.empty() ? "" : "<h2>Curves</h2>\n<div class=\"charts\">\n" + charts + "</div>\n";
}

}  // namespace protium
