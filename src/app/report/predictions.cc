// SPDX-License-Identifier: Apache-2.0
// The section on the predictions themselves, from result.json's "diagnostics" (what
// metrics/diagnostics.h draws): of the test rows, or else of the validation rows.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/report/chart.h"
#include "app/report/sections.h"

namespace protium {

namespace {

using Points = std::vector<std::pair<double, double>>;

// A list of [x, y, ...]; anything else is left out: reports are also made of files of other
// versions.
Points ReadPoints(const Json& list) {
  Points points;
  if (!list.is_array()) return points;
  for (const Json& each : list) {
    const bool pair = each.is_array() && each.size() >= 2;
    if (!pair || !each[0].is_number() || !each[1].is_number()) continue;
    points.emplace_back(each[0].get<double>(), each[1].get<double>());
  }
  return points;
}

// The diagonal over the range of both axes, on which predictions would lie that are all right, or
// in a ROC those that are made by chance.
Series Diagonal(const Points& points, const char* name = "ideal") {
  double low = points.front().first, high = low;
  for (const auto& [x, y] : points) {
    low = std::min({low, x, y});
    high = std::max({high, x, y});
  }
  return {.name = name, .points = {{low, low}, {high, high}}};
}

std::string CurveOf(const Json& label, const char* key, const std::string& title,
                    const std::string& x_name, bool dots, const char* diagonal) {
  Points points = ReadPoints(label.value(key, Json()));
  if (points.empty()) return {};
  Chart chart{.title = title, .x_name = x_name, .whole = true};
  if (diagonal != nullptr) chart.series.push_back(Diagonal({{0, 0}, {1, 1}}, diagonal));
  chart.series.push_back({.name = "model", .points = std::move(points), .dots = dots});
  return DrawChart(chart);
}

std::string ScatterOf(const Json& label) {
  Points points = ReadPoints(label.value("predicted_actual", Json()));
  if (points.empty()) return {};
  Chart chart{.title = "Actual over predicted", .x_name = "predicted", .whole = true};
  chart.series.push_back(Diagonal(points));
  chart.series.push_back(
      {.name = "a sample of the rows", .points = std::move(points), .dots = true, .line = false});
  return DrawChart(chart);
}

// The outline of a histogram.
std::string ResidualsOf(const Json& label) {
  const Json residuals = label.value("residuals", Json());
  const Json low = AtPath(residuals, "low"), high = AtPath(residuals, "high");
  const Json counts = AtPath(residuals, "counts");
  if (!low.is_number() || !high.is_number() || !counts.is_array() || counts.empty()) return {};
  const double begin = low.get<double>();
  const double width = (high.get<double>() - begin) / double(counts.size());
  Series outline{.name = "rows of a sample", .points = {{begin, 0}}};
  for (size_t i = 0; i < counts.size(); ++i) {
    if (!counts[i].is_number()) return {};
    const double left = begin + width * double(i), rows = counts[i].get<double>();
    outline.points.emplace_back(left, rows);
    outline.points.emplace_back(left + width, rows);
  }
  outline.points.emplace_back(begin + width * double(counts.size()), 0);
  return DrawChart({.title = "Residuals",
                    .x_name = "actual less predicted",
                    .series = {std::move(outline)},
                    .whole = true});
}

std::string NameOf(const Json& classes, size_t at) {
  const bool known = classes.is_array() && at < classes.size() && classes[at].is_string();
  return known ? classes[at].get<std::string>() : std::to_string(at);
}

// Rows by class and prediction; a cell is the darker, the larger its share of the class.
std::string ConfusionOf(const Json& label, const Json& classes) {
  const Json rows = label.value("confusion", Json());
  if (!rows.is_array() || rows.empty()) return {};
  // A table of many classes takes the width of the page.
  std::string table = fmt::format(
      "<figure{}><figcaption>Confusion</figcaption>\n<div class=\"scroll\"><table>\n"
      "<tr><th>class</th>",
      rows.size() > 4 ? " class=\"wide\"" : "");
  for (size_t c = 0; c < rows.size(); ++c) {
    table += "<th class=\"num\">as " + Escaped(NameOf(classes, c)) + "</th>";
  }
  table += "</tr>\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    double all = 0;
    for (const Json& cell : rows[r]) all += cell.is_number() ? cell.get<double>() : 0;
    table += "<tr><td>" + Escaped(NameOf(classes, r)) + "</td>";
    for (const Json& cell : rows[r]) {
      const double share = all > 0 && cell.is_number() ? cell.get<double>() / all : 0;
      table += fmt::format(
          "<td class=\"num\" style=\"background:color-mix(in srgb, var(--c0) {:.0f}%, "
          "transparent)\">{}</td>",
          60 * share, Escaped(Shown(cell)));
    }
    table += "</tr>\n";
  }
  return table + "</table></div></figure>\n";
}

std::string ChartsOf(const Json& label, const Json& classes) {
  if (!label.is_object()) return {};
  return ConfusionOf(label, classes) +
         CurveOf(label, "roc", "ROC: true over false positives", "false positive rate", false,
                 "by chance") +
         CurveOf(label, "precision_recall", "Precision over recall", "recall", false, nullptr) +
         CurveOf(label, "calibration", "Calibration: share of rows over probability", "probability",
                 true, "ideal") +
         CurveOf(label, "below", "Share of labels below each quantile", "level", true, "ideal") +
         ScatterOf(label) + ResidualsOf(label);
}

}  // namespace

std::string PredictionsSection(const ReportFacts& facts) {
  const Json all = AtPath(facts.result, "diagnostics");
  const bool tested = all.is_object() && all.contains("test");
  const Json labels = AtPath(all, tested ? "test.labels" : "validation.labels");
  if (!labels.is_array()) return {};
  const Json classes = AtPath(facts.result, "classes"), names = AtPath(facts.result, "labels");
  std::string section;
  for (size_t l = 0; l < labels.size(); ++l) {
    const std::string charts = ChartsOf(labels[l], classes);
    if (charts.empty()) continue;
    const std::string which = labels.size() > 1 ? " of " + Escaped(NameOf(names, l)) : "";
    section += "<h2>Predictions" + which +
               (tested ? " on the test rows" : " on the validation rows") +
               "</h2>\n<div class=\"charts\">\n" + charts + "</div>\n";
  }
  return section;
}

}  // namespace protium
