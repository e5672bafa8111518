// SPDX-License-Identifier: Apache-2.0
// The section with the curves: training loss by step and by epoch, and each validation metric by
// epoch. A run that is done has them in result.json, one that broke off in its events only.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/report/chart.h"
#include "app/report/sections.h"
#include "run/events.h"

namespace protium {

namespace {

constexpr size_t kMostPoints = 400;  // Of a curve: about as many as a chart has pixels.

// From step or epoch to value.
using Curve = std::map<double, double>;

// Thins a long curve out to every nth point and the last. Few enough points are marked with dots.
Series MakeSeries(std::string name, const Curve& curve) {
  Series series{.name = std::move(name), .dots = curve.size() <= 60};
  const size_t stride = curve.size() / kMostPoints + 1;
  size_t i = 0;
  for (const auto& point : curve) {
    // `i` counts the point by now, so this is the last one.
    if (i++ % stride == 0 || i == curve.size()) series.points.push_back(point);
  }
  return series;
}

// Validation metrics by epoch, each a curve under its name.
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

// A chart of the loss at the steps that were reported, if there are more of them than epochs, and
// of the mean of each epoch. Restarts of the gang are marked.
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

// A chart of the learning rate at the end of each epoch, if it changed.
std::string RateChart(const ReportFacts& facts) {
  Curve rates;
  for (const Json& epoch : facts.result.value("history", Json::array())) {
    const Json rate = AtPath(epoch, "learning_rate"), number = AtPath(epoch, "epoch");
    if (rate.is_number() && number.is_number()) rates[number.get<double>()] = rate.get<double>();
  }
  const auto changed = [&](const auto& each) { return each.second != rates.begin()->second; };
  if (std::ranges::none_of(rates, changed)) return {};
  return DrawChart(
      {.title = "Learning rate", .x_name = "epoch", .series = {MakeSeries("rate", rates)}});
}

}  // namespace

std::string CurvesSection(const ReportFacts& facts) {
  const RunView view = MakeRunView(facts.events);
  std::string charts = LossCharts(facts, view);
  const double best = facts.result.value("best_epoch", 0.0);
  for (const auto& [name, curve] : ValidationCurves(facts, view)) {
    Chart chart{
        .title = "Validation " + name, .x_name = "epoch", .series = {MakeSeries(name, curve)}};
    // The epoch whose weights the model has.
    if (best > 0) chart.marks.emplace_back(best, fmt::format("kept: epoch {:.0f}", best));
    charts += DrawChart(chart);
  }
  charts += RateChart(facts);
  return charts.empty() ? "" : "<h2>Curves</h2>\n<div class=\"charts\">\n" + charts + "</div>\n";
}

}  // namespace protium
