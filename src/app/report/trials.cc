// SPDX-License-Identifier: Apache-2.0
// The section with the trials of a search: what was tried, and what came of it.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "app/report/chart.h"
#include "app/report/sections.h"
#include "run/terminal.h"

namespace protium {

namespace {

// A table of thousands would make the page slow; the best are what a reader looks for.
constexpr size_t kMostShown = 200;

std::string CellHtml(const std::string& text, bool number) {
  return fmt::format("<td{}>{}</td>", number ? " class=\"num\"" : "", Escaped(text));
}

// "14.13 +- 0.21", or why there is none.
std::string ValueCell(const Json& trial) {
  const Json value = AtPath(trial, "value");
  if (!value.is_number()) return CellHtml(Shown(AtPath(trial, "error")), false);
  std::string text = Shown(value);
  const Json deviation = AtPath(trial, "deviation");
  if (deviation.is_number()) text += fmt::format(" \u00b1 {:.2g}", deviation.get<double>());
  return CellHtml(text, true);
}

std::string TrialRow(const Json& trial, const std::vector<std::string>& paths, bool best) {
  std::string row = best ? "<tr class=\"best\">" : "<tr>";
  row += CellHtml(Shown(AtPath(trial, "trial")) + (best ? " (the best)" : ""), false);
  const Json values = trial.value("values", Json::object());
  for (const std::string& path : paths) {
    const Json value = values.value(path, Json());
    row += CellHtml(value.is_structured() ? Dump(value) : Shown(value), value.is_number());
  }
  row += ValueCell(trial);
  const Json epoch = AtPath(trial, "best_epoch"), seconds = AtPath(trial, "seconds");
  row += CellHtml(epoch == 0 ? "" : Shown(epoch), true);
  row += CellHtml(seconds.is_number() ? Seconds(seconds.get<double>()) : "", true);
  return row + "</tr>\n";
}

// The metric of each trial, by its number, and the best one marked.
std::string TrialsChart(const Json& table, const std::string& metric) {
  Series series{.name = metric, .dots = true};
  for (const Json& trial : table["trials"]) {
    const Json value = AtPath(trial, "value"), number = AtPath(trial, "trial");
    if (!value.is_number() || !number.is_number()) continue;
    series.points.emplace_back(number.get<double>(), value.get<double>());
  }
  if (series.points.size() < 2) return {};
  Chart chart{.title = metric + " of each trial", .x_name = "trial", .series = {series}};
  const Json best = AtPath(table, "best");
  if (best.is_number()) chart.marks.emplace_back(best.get<double>(), "the best");
  return "<div class=\"charts\">\n" + DrawChart(chart) + "</div>\n";
}

}  // namespace

std::string SearchSection(const ReportFacts& facts) {
  const Json trials = AtPath(facts.trials, "trials");
  if (!trials.is_array() || trials.empty()) return {};
  std::vector<std::string> paths;
  const Json first = trials[0].value("values", Json::object());
  for (const auto& [path, value] : first.items()) paths.push_back(path);
  const std::string metric = facts.trials.value("metric", "");
  std::string text = "<h2>Trials</h2>\n" + TrialsChart(facts.trials, metric);
  text += "<div class=\"scroll\"><table>\n<tr><th>trial</th>";
  for (const std::string& path : paths) text += "<th>" + Escaped(path) + "</th>";
  text += fmt::format(
      "<th class=\"num\">{}</th><th class=\"num\">best epoch</th>"
      "<th class=\"num\">time</th></tr>\n",
      Escaped(metric));
  const Json best = AtPath(facts.trials, "best");
  size_t shown = 0;
  for (const Json& trial : trials) {
    const bool is_best = !best.is_null() && AtPath(trial, "trial") == best;
    if (shown >= kMostShown && !is_best) continue;
    text += TrialRow(trial, paths, is_best);
    ++shown;
  }
  text += "</table></div>\n";
  if (shown < trials.size()) {
    text += fmt::format("<p class=\"soft\">{} of {} trials; trials.csv has all</p>\n", shown,
                        trials.size());
  }
  const Json epochs = AtPath(facts.result, "search.epochs");
  if (epochs.is_number()) {
    text += fmt::format(
        "<p class=\"soft\">The best was fitted again on all training rows, for {} "
        "epochs.</p>\n",
        Shown(epochs));
  }
  return text;
}

}  // namespace protium
