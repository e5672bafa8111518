// SPDX-License-Identifier: Apache-2.0
// What somebody asks who has not read the job: what is predicted, from which columns, how well
// beside the baseline, and what was left out.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "app/report/chart.h"
#include "app/report/sections.h"
#include "app/run/run_report.h"
#include "run/terminal.h"

namespace protium {

namespace {

constexpr size_t kMostNames = 12;
constexpr size_t kMostNotes = 10;

// Texts of a list; what is no text is left out: reports are also made of files of other versions.
std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& each : list) {
    if (each.is_string()) texts.push_back(each.get<std::string>());
  }
  return texts;
}

Json EstimatorOf(const ReportFacts& facts) {
  const Json pipeline = AtPath(facts.job, "job.pipeline");
  if (!pipeline.is_array() || pipeline.empty() || !pipeline.back().is_object()) return {};
  return pipeline.back().value("kind", "") == "torch_estimator" ? pipeline.back() : Json();
}

// The columns of the table that the stages and the estimator read, in the order in which they do.
std::vector<std::string> SourceColumns(const ReportFacts& facts, const Json& estimator) {
  std::set<std::string> seen;
  std::vector<std::string> columns;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (seen.insert(name).second) columns.push_back(name);
    }
  };
  const Json stages = AtPath(facts.job, "plan.stages");
  if (stages.is_array()) {
    // What stages make is no column of the table.
    for (const Json& stage : stages) {
      for (const std::string& name : Texts(stage.value("outputs", Json()))) seen.insert(name);
    }
    for (const Json& stage : stages) add(Texts(stage.value("inputs", Json())));
  }
  for (const char* key : {"categorical", "numeric"}) add(Texts(estimator.value(key, Json())));
  for (const Json& each : estimator.value("vectors", Json::array())) {
    if (each.is_object()) add({each.value("column", "")});
  }
  return columns;
}

std::string ListOf(const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    list += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() <= kMostNames) return list;
  return list + fmt::format(" and {} more", names.size() - kMostNames);
}

std::string WhatText(const ReportFacts& facts, const std::vector<std::string>& labels,
                     const Json& estimator) {
  const size_t classes = Texts(AtPath(facts.result, "classes")).size();
  std::string kind = labels.size() > 1 ? "together" : "a number";
  if (labels.size() == 1 && classes > 0) kind = fmt::format("one of {} classes", classes);
  const std::vector<std::string> columns = SourceColumns(facts, estimator);
  return fmt::format("Predicts <b>{}</b>, {}, from {} column{}: {}.", Escaped(ListOf(labels)), kind,
                     columns.size(), columns.size() == 1 ? "" : "s", Escaped(ListOf(columns)));
}

// The metric that chose the weights; the first one unless the job says which.
std::string BestMetric(const ReportFacts& facts, const Json& estimator) {
  const Json best = AtPath(estimator, "train.best");
  if (best.is_string()) return best.get<std::string>();
  const Json test = AtPath(facts.result, "metrics.test");
  if (!test.is_object()) return {};
  for (const auto& [name, value] : test.items()) {
    if (name != "rows") return name;
  }
  return {};
}

std::string HowWellText(const ReportFacts& facts, const Json& estimator) {
  const std::string metric = BestMetric(facts, estimator);
  const Json ours = AtPath(facts.result, "metrics.test." + metric);
  if (metric.empty() || !ours.is_number()) return {};
  std::string text = fmt::format("On {} the {} is {:.4g}", Escaped(ScoredRows(facts.result)),
                                 Escaped(metric), ours.get<double>());
  const Json theirs = AtPath(facts.result, "metrics.baseline." + metric);
  if (!theirs.is_number()) return text + ".";
  const Json column = AtPath(facts.result, "baseline_column");
  const std::string what = column.is_string() ? "a straight line in " + column.get<std::string>()
                                              : "the same prediction for every row";
  return text + fmt::format("; a baseline, {}, has {:.4g}.", Escaped(what), theirs.get<double>());
}

}  // namespace

std::string SummarySection(const ReportFacts& facts) {
  const std::vector<std::string> labels = Texts(AtPath(facts.result, "labels"));
  const Json estimator = EstimatorOf(facts);
  if (labels.empty() || !estimator.is_object()) return {};
  std::string text = "<p>" + WhatText(facts, labels, estimator) + "</p>\n";
  const std::string well = HowWellText(facts, estimator);
  if (!well.empty()) text += "<p>" + well + "</p>\n";
  std::string notes;
  size_t count = 0;
  for (const Json& event : facts.events) {
    const std::string name = event.value("event", "");
    if ((name != "note" && name != "warning") || ++count > kMostNotes) continue;
    notes += "<li>" + Escaped(event.value("message", "")) + "</li>\n";
  }
  return text + (notes.empty() ? "" : "<ul class=\"soft\">\n" + notes + "</ul>\n");
}

}  // namespace protium
