// SPDX-License-Identifier: Apache-2.0
// Numeric labels, with scales and baselines, and yes-or-no labels.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "pipeline/learn_label.h"
#include "run/terminal.h"

namespace protium {
namespace {

Status NoValue(const std::string& label) {
  return Fail(
      {.exit = Exit::kInput, .what = "label \"" + label + "\" has no value in the training rows"});
}

// The squares of such numbers exceed a double.
Status TooLarge(const std::string& label, const Moments& moments) {
  return Fail(
      {.exit = Exit::kInput,
       .what = "label \"" + label + "\" goes from " + Dump(Json(moments.Low())) + " to " +
               Dump(Json(moments.High())) + ", too far for its deviation to be a double",
       .why = "the label is scaled by it",
       .fix = "divide it in the SQL, or learn its logarithm: ln(" + label + ") AS log_" + label});
}

// A constant label gets the deviation 1: dividing by 0 would make every row NaN.
Result<ScaledLabel> ScaleLabel(const Moments& moments, const std::string& label) {
  const double mean = moments.Mean(), deviation = moments.Deviation();
  if (moments.count() == 0) return NoValue(label);
  if (!std::isfinite(mean) || !std::isfinite(deviation)) return TooLarge(label, moments);
  return ScaledLabel{label, mean, deviation > 0 ? deviation : 1};
}

Result<ScaledLabel> ScaleLog(const LogMoments& logs, const std::string& label) {
  if (logs.outside() > 0) {
    const std::string count = Grouped(logs.outside());
    return Fail({.exit = Exit::kInput,
                 .what = "label \"" + label + "\" is -1 or less in " + count +
                         (logs.outside() == 1 ? " training row" : " training rows") + ", down to " +
                         Dump(Json(logs.lowest())),
                 .where = "label_scale",
                 .why = "ln(1 + x) exists for x above -1 only",
                 .fix = "leave these rows out (WHERE " + label +
                        " > -1), or set label_scale = \"standard\""});
  }
  PT_LET(ScaledLabel scaled, ScaleLabel(logs.moments(), label));
  scaled.log1p = true;
  return scaled;
}

// The baseline of a column: the label as a linear function of that column.
Result<Baseline> MakeBaseline(const Line& line, const EstimatorOptions& options) {
  const Baseline baseline{options.train.baseline, line.Intercept(), line.Slope()};
  if (line.count() > 0 && std::isfinite(baseline.intercept) && std::isfinite(baseline.slope)) {
    return baseline;
  }
  if (line.count() == 0) return NoValue(options.label);
  return Fail({.exit = Exit::kInput,
               .what = "label \"" + options.label + "\" has no straight line over " +
                       options.train.baseline + ": its numbers are too large for a double",
               .where = "train.baseline",
               .fix = "leave train.baseline out"});
}

Status CheckCounts(const LossRow& loss, const Moments& moments, const std::string& label) {
  if (moments.count() == 0 || moments.Low() >= 0) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "label \"" + label + "\" has values down to " + Dump(Json(moments.Low())) +
                       ", but " + loss.name + " learns counts and amounts of 0 or more",
               .fix = "choose another loss"});
}

Status CheckRelevance(const LossRow& loss, const Moments& moments, const std::string& label) {
  constexpr double kMost = 31;
  if (moments.count() == 0 || (moments.Low() >= 0 && moments.High() <= kMost)) return Status::OK();
  const double bad = moments.Low() < 0 ? moments.Low() : moments.High();
  return Fail({.exit = Exit::kInput,
               .what = "label \"" + label + "\" is " + Dump(Json(bad)) + " in a row, but " +
                       loss.name + " learns whole numbers from 0 to 31",
               .why = "a row of relevance r counts 2^r - 1",
               .fix = "number the grades of relevance from 0 on"});
}

// Takes the states in the order of LabelNeeds().
class StatesInOrder {
 public:
  explicit StatesInOrder(std::span<const State> states) : states_(states) {}
  template <class Kind>
  const Kind& Next() {
    return std::get<Kind>(states_[at_++]);
  }

 private:
  std::span<const State> states_;
  size_t at_ = 0;
};

}  // namespace

Result<Learned> LearnNumbers(const EstimatorOptions& options, const LossRow& loss,
                             std::span<const State> states) {
  Learned learned{.baseline = Baseline()};
  Objective& objective = learned.objective;
  objective.kind = loss.kind;
  objective.logarithmic = loss.logarithmic;
  if (loss.kind == TargetKind::kQuantiles) {
    PT_LET(objective.levels, LevelsOf(options));
  }
  // For each label Moments, or with the scale log1p LogMoments; for quantiles NumberCounts; at the
  // end the Line of a baseline column.
  StatesInOrder next(states);
  for (const std::string& label : ListLabels(options)) {
    const auto& moments = next.Next<Moments>();
    if (loss.logarithmic) PT_TRY(CheckCounts(loss, moments, label));
    if (loss.kind == TargetKind::kRelevance) PT_TRY(CheckRelevance(loss, moments, label));
    ScaledLabel scaled{.column = label};
    if (options.label_scale == Scale::kStandard) {
      PT_LET(scaled, ScaleLabel(moments, label));
    } else if (options.label_scale == Scale::kLog1p) {
      PT_LET(scaled, ScaleLog(next.Next<LogMoments>(), label));
    }
    objective.labels.push_back(std::move(scaled));
    // Without a column the baseline is a constant in the label's own units: its mean, or its
    // quantiles.
    if (objective.levels.empty()) learned.baseline->values.push_back(moments.Mean());
    if (objective.levels.empty()) continue;
    const auto& numbers = next.Next<NumberCounts>();
    for (const double level : objective.levels) {
      learned.baseline->values.push_back(numbers.count() > 0 ? numbers.Quantile(level) : 0);
    }
  }
  if (!options.train.baseline.empty()) {
    PT_LET(learned.baseline, MakeBaseline(next.Next<Line>(), options));
  }
  return learned;
}

Result<Learned> LearnFlags(const EstimatorOptions& options, std::span<const State> states) {
  Learned learned{.baseline = Baseline()};
  learned.objective.kind = TargetKind::kFlags;
  StatesInOrder next(states);
  for (const std::string& label : ListLabels(options)) {
    const auto& counts = next.Next<TextCounts>();
    // Booleans are counted by their text.
    const double yes = double(counts.FindCount("true")), no = double(counts.FindCount("false"));
    if (yes == 0 || no == 0) {
      return Fail({.exit = Exit::kInput,
                   .what = "label \"" + label + "\" is " + (yes > 0 ? "true" : "false") +
                           " in all training rows, so there is nothing to learn",
                   .fix = "leave it out of labels"});
    }
    learned.objective.labels.push_back({.column = label});
    learned.baseline->shares.push_back(yes / (yes + no));
  }
  return learned;
}

}  // namespace protium
