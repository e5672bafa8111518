// SPDX-License-Identifier: Apache-2.0
#include "pipeline/objective.h"

#include <arrow/type.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "pipeline/learn_label.h"
#include "stages/stage.h"

namespace protium {

int64_t Objective::outputs() const {
  if (kind == TargetKind::kQuantiles) return int64_t(labels.size() * levels.size());
  if (!OfClasses(kind)) return int64_t(labels.size());
  return kind == TargetKind::kTwoClasses ? 1 : int64_t(classes.size());
}

TargetKind KindOf(const EstimatorOptions& options, const LossRow& loss) {
  // A program's own loss for two classes reads the index of a class, of which a row has only one.
  const bool several = !options.labels.empty() && loss.builder == nullptr;
  return several && loss.kind == TargetKind::kTwoClasses ? TargetKind::kFlags : loss.kind;
}

// Reads only this option: a program's own loss may have others.
Result<std::vector<double>> LevelsOf(const EstimatorOptions& options) {
  QuantileOptions quantiles;
  const Json given = {{"levels", options.loss.options.value("levels", Json())}};
  PT_TRY(FieldsFromJson(given, "loss", quantiles));
  PT_TRY(quantiles.Check("loss"));
  return quantiles.levels;
}

std::string LevelName(double level) {
  // Ten digits, since 0.07 * 100 is not exactly 7.
  std::ostringstream text;
  text.precision(10);
  text << "q" << level * 100;
  std::string name = text.str();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

Columns ListLabels(const EstimatorOptions& options) {
  return options.labels.empty() ? Columns{options.label} : options.labels;
}

Status CheckLabelType(TargetKind kind, const arrow::DataType& type) {
  if (!OfClasses(kind) && kind != TargetKind::kFlags) return CheckNumeric(type);
  const auto id = type.id();
  if (kind == TargetKind::kFlags) {
    return id == arrow::Type::BOOL ? Status::OK() : Status::TypeError("booleans");
  }
  if (id == arrow::Type::STRING || id == arrow::Type::BOOL || arrow::is_integer(id)) {
    return Status::OK();
  }
  return Status::TypeError("text, whole numbers or booleans");
}

// Moments give the mean, which is the baseline, and show whether a label is ever below 0.
std::vector<Need> LabelNeeds(const EstimatorOptions& options, const LossRow& loss) {
  const bool texts = OfClasses(loss.kind) || loss.kind == TargetKind::kFlags;
  std::vector<Need> needs;
  for (const std::string& label : ListLabels(options)) {
    needs.push_back({texts ? StateKind::kTexts : StateKind::kMoments, {label}});
    if (texts) continue;
    if (options.label_scale == Scale::kLog1p) needs.push_back({StateKind::kLogMoments, {label}});
    if (loss.kind == TargetKind::kQuantiles) needs.push_back({StateKind::kNumbers, {label}});
  }
  if (!options.train.baseline.empty()) {
    needs.push_back({StateKind::kLine, {options.train.baseline, options.label}});
  }
  return needs;
}

Result<Learned> LearnLabel(const EstimatorOptions& options, const LossRow& loss,
                           std::span<const State> states, const arrow::DataType& type) {
  if (loss.kind == TargetKind::kFlags) {
    PT_LET(Learned learned, LearnFlags(options, states));
    learned.objective.decision.cut = Logit(options.threshold.at);
    return learned;
  }
  if (!OfClasses(loss.kind)) return LearnNumbers(options, loss, states);
  PT_LET(Learned learned, LearnClasses(options, loss, std::get<TextCounts>(states[0]), type));
  learned.objective.decision.cut = Logit(options.threshold.at);
  return learned;
}

arrow::FieldVector PredictedFields(const EstimatorOptions& options, TargetKind kind,
                                   const std::shared_ptr<arrow::DataType>& label) {
  arrow::FieldVector fields;
  if (OfClasses(kind)) {
    fields.push_back(arrow::field(options.prediction, label));
    fields.push_back(arrow::field(options.probability, arrow::float64()));
    if (!options.probabilities.empty()) {
      fields.push_back(arrow::field(options.probabilities, arrow::list(arrow::float64())));
    }
    return fields;
  }
  const Result<std::vector<double>> levels = LevelsOf(options);
  for (const std::string& each : ListLabels(options)) {
    const std::string behind = options.labels.empty() ? "" : "_" + each;
    const std::string name = options.prediction + behind;
    if (kind == TargetKind::kFlags) {
      fields.push_back(arrow::field(name, arrow::boolean()));
      fields.push_back(arrow::field(options.probability + behind, arrow::float64()));
    } else if (kind == TargetKind::kQuantiles && levels.ok()) {
      for (const double level : *levels) {
        fields.push_back(arrow::field(name + "_" + LevelName(level), arrow::float64()));
      }
    } else {
      fields.push_back(arrow::field(name, arrow::float64()));
    }
  }
  return fields;
}

// `missing` stays unset, so that a row without a label has no class either.
Plan WithClasses(Plan rows, const Objective& objective) {
  return MakePlan(
      Lookup{.column = objective.labels.front().column,
             .output = kClassColumn,
             .keys = std::make_shared<const std::vector<std::string>>(objective.classes),
             .unseen = -1},
      {std::move(rows)});
}

}  // namespace protium
