// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "metrics/seasons.h"
#include "pipeline/named_baseline.h"
#include "pipeline/objective.h"
#include "pipeline/placer.h"
#include "stages/history_stage.h"

namespace protium {

// What an estimator is measured by in series, which other stages of the pipeline define by their
// `by` and `time`: forecasts that the baseline names, and the scales of "mase@k". Both are earlier
// values of the label, and so stages like those that the user wrote; they are put before the
// estimator.

namespace {

Status NoSeries(const std::string& what, std::string where) {
  return Fail({.exit = Exit::kUsage,
               .what = what + " needs series, and the pipeline has none",
               .where = std::move(where),
               .why =
                   "which rows are one series, and in which order, is said by a stage that looks "
                   "at earlier rows: lag, difference, rolling or expanding",
               .fix = "add such a stage, with time = \"...\" and by = [...]"});
}

}  // namespace

const HistoryStage* Placer::AnyHistory() const {
  for (const PlacedStage& each : chain_.stages) {
    if (each.stage->history() != nullptr) return each.stage->history();
  }
  return nullptr;
}

int64_t Placer::NearestOf(const std::string& label) const {
  int64_t nearest = 0;
  bool in_time = false;
  for (const PlacedStage& each : chain_.stages) {
    const HistoryStage* const stage = each.stage->history();
    if (stage == nullptr || stage->sees_own_row()) continue;
    const auto& inputs = stage->inputs();
    const auto end = inputs.begin() + std::ptrdiff_t(stage->num_values());
    if (std::find(inputs.begin(), end, label) == end) continue;
    const Reach reach = stage->reach();
    in_time = in_time || reach.micros.has_value();
    if (reach.micros) continue;
    nearest = nearest == 0 ? reach.nearest : std::min(nearest, reach.nearest);
  }
  return nearest == 0 && !in_time ? 1 : nearest;
}

Status Placer::PlaceMade(const std::string& kind, Json options) {
  const std::string path = path_, id = id_;
  PT_LET(const StageRow* row, FindRow(chain_.catalogue.stages, "kind of stage", kind, path_));
  StageOptions stage{.kind = kind, .options = std::move(options)};
  reads_ = Use::kHistory;
  const Status placed = PlaceOne(*row, stage, nullptr);
  path_ = path;
  id_ = id;
  reads_ = Use::kAlways;
  PT_TRY(placed);
  chain_.options.push_back(std::move(stage));
  return Status::OK();
}

Status Placer::PlaceBaseline(EstimatorOptions& options) {
  std::string& baseline = options.train.baseline;
  if (baseline.empty() || chain_.Find(baseline) != nullptr) return Status::OK();
  PT_LET(const auto named, ReadNamedBaseline(baseline, path_ + ".train.baseline"));
  if (!named || !options.labels.empty()) return Status::OK();
  const HistoryStage* const series = AnyHistory();
  if (series == nullptr) {
    return NoSeries("the baseline \"" + baseline + "\"", path_ + ".train.baseline");
  }
  // What is nearer is not known when the other inputs are.
  const int64_t nearest = NearestOf(options.label), season = named->season;
  if (nearest == 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the baseline \"" + baseline + "\" counts rows, and the pipeline does not",
                 .where = path_ + ".train.baseline",
                 .why = "its windows of \"" + options.label +
                        "\" are lengths of time, which do not "
                        "say how many rows before each row are known",
                 .fix = "add a lag of it that is known, and name its column"});
  }
  const int64_t lag = (nearest + season - 1) / season * season;
  const std::string id = season > 1 ? "seasonal" : "last_value";
  PT_TRY(PlaceMade("lag", {{"id", id},
                           {"inputs", {options.label}},
                           {"by", series->by()},
                           {"time", series->time()},
                           {"lags", {lag}}}));
  baseline = chain_.stages.back().stage->outputs().front();
  return Status::OK();
}

Status Placer::PlaceScales(PlacedEstimator& placed) {
  const EstimatorOptions& options = placed.options;
  std::vector<std::string> metrics = options.train.metrics;
  metrics.push_back(options.train.best);
  for (const int64_t season : SeasonsOf(metrics)) {
    const std::string name = fmt::format("mase@{}", season), at = path_ + ".train.metrics";
    const HistoryStage* const series = AnyHistory();
    if (series == nullptr) return NoSeries("the metric \"" + name + "\"", at);
    if (!options.labels.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "\"" + name + "\" measures one label, and there are several",
                   .where = at,
                   .fix = "leave it out"});
    }
    const std::string id = fmt::format("mase_{}", season);
    const SeasonErrors errors{season, options.label + "__" + id, series->by()};
    // Placed again, the stage is there.
    if (!ids_.contains(id)) {
      PT_TRY(PlaceMade("difference", {{"id", id},
                                      {"inputs", {options.label}},
                                      {"by", series->by()},
                                      {"time", series->time()},
                                      {"rows", season},
                                      {"lag", 0}}));
    }
    PT_LET(const size_t column, Find(errors.column, "train.metrics", Use::kTraining));
    placed.level = std::max(placed.level, 1 + FindLevel(column));
    placed.errors.push_back(errors);
  }
  return Status::OK();
}

}  // namespace protium
