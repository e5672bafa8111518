// SPDX-License-Identifier: Apache-2.0
#include "learn/objective.h"

#include <arrow/type.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "column/schema.h"
#include "learn/stages/stage.h"

namespace protium {
namespace {

constexpr size_t kMostClasses = 10'000;  // More come from a label that is an identifier.
constexpr size_t kMostShown = 10;        // Classes quoted in a message.

std::string Listed(const std::vector<std::string>& classes) {
  std::string text;
  for (size_t i = 0; i < std::min(classes.size(), kMostShown); ++i) {
    text += (i > 0 ? ", \"" : "\"") + classes[i] + "\"";
  }
  return classes.size() > kMostShown ? text + ", ..." : text;
}

Fault LabelFault(const TorchEstimatorOptions& options, const std::string& says) {
  return {.exit = Exit::kInput, .what = "label \"" + ListLabels(options).front() + "\" " + says};
}

// A constant label keeps the deviation 1: dividing by 0 would make every row NaN.
Result<ScaledLabel> ScaleLabel(const Moments& moments, const std::string& label) {
  const double mean = moments.Mean(), deviation = moments.Deviation();
  if (moments.count() == 0 || !std::isfinite(mean) || !std::isfinite(deviation)) {
    return Fail({.exit = Exit::kInput,
                 .what = "label \"" + label + "\" has no finite value in the training rows"});
  }
  return ScaledLabel{label, mean, deviation > 0 ? deviation : 1};
}

Result<Baseline> MakeBaseline(const Line& line, const TorchEstimatorOptions& options) {
  const Baseline baseline{options.train.baseline, line.Intercept(), line.Slope()};
  if (line.count() > 0 && std::isfinite(baseline.intercept) && std::isfinite(baseline.slope)) {
    return baseline;
  }
  return Fail(LabelFault(options, "has no finite value in the training rows"));
}

Status CheckCounts(const LossRow& loss, const Moments& moments, const std::string& label) {
  if (moments.count() == 0 || moments.Low() >= 0) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "label \"" + label + "\" has values down to " + Dump(Json(moments.Low())) +
                       ", but " + loss.name + " learns counts and amounts of 0 or more",
               .fix = "choose another loss"});
}

// Takes the states in the order in which LabelNeeds() asks for them.
Result<Learned> LearnValues(const TorchEstimatorOptions& options, const LossRow& loss,
                            std::span<const State> states) {
  Learned learned;
  learned.objective.logarithmic = loss.logarithmic;
  size_t at = 0;
  for (const std::string& label : ListLabels(options)) {
    ScaledLabel scaled{.column = label};
    if (options.label_scale == Scale::kStandard) {
      PT_LET(scaled, ScaleLabel(std::get<Moments>(states[at++]), label));
    } else if (loss.logarithmic) {
      PT_TRY(CheckCounts(loss, std::get<Moments>(states[at++]), label));
    }
    learned.objective.labels.push_back(std::move(scaled));
  }
  if (at < states.size()) {
    PT_LET(learned.baseline, MakeBaseline(std::get<Line>(states[at]), options));
  }
  return learned;
}

// Whole numbers in decimal by value (a sign, then length, then digits, so that any width fits), all
// else by bytes, which puts "false" before "true".
bool InOrder(const std::string& a, const std::string& b, bool whole) {
  if (!whole) return a < b;
  const bool negative_a = a.starts_with('-'), negative_b = b.starts_with('-');
  if (negative_a != negative_b) return negative_a;
  const bool less = a.size() != b.size() ? a.size() < b.size() : a < b;
  return negative_a ? !less && a != b : less;
}

// Refuses a label that cannot be told apart, or that the loss cannot learn, with what to do about
// it.
Status CheckClasses(const TorchEstimatorOptions& options, const LossRow& loss,
                    const std::vector<std::string>& classes) {
  if (classes.size() > kMostClasses) {
    return Fail(LabelFault(options, "has " + std::to_string(classes.size()) +
                                        " different values, but at most " +
                                        std::to_string(kMostClasses) + " classes are supported"));
  }
  if (classes.empty()) return Fail(LabelFault(options, "has no value in the training rows"));
  if (classes.size() == 1) {
    return Fail(LabelFault(
        options, "is " + Listed(classes) + " in all training rows, so there is nothing to learn"));
  }
  if (loss.kind == TargetKind::kClasses || classes.size() == 2) return Status::OK();
  Fault fault =
      LabelFault(options, "has " + std::to_string(classes.size()) + " classes (" + Listed(classes) +
                              "), but " + options.loss.name + " learns two");
  fault.fix = "set loss = \"cross_entropy\", or reduce them to two in the SQL";
  return Fail(std::move(fault));
}

// The net's one output is the logit of the second class.
Status PutPositiveLast(const TorchEstimatorOptions& options, std::vector<std::string>& classes) {
  if (options.positive.empty() || options.positive == classes[1]) return Status::OK();
  if (options.positive == classes[0]) {
    std::swap(classes[0], classes[1]);
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = "label \"" + options.label + "\" has no class \"" + options.positive + "\"",
               .where = "positive",
               .fix = Suggest(options.positive, classes)});
}

// "balanced" is n / (classes * n_of_class), as scikit-learn's class_weight of that name.
Result<std::vector<double>> WeighClasses(const Json& given, const std::vector<std::string>& classes,
                                         const std::vector<double>& shares) {
  std::vector<double> weights;
  if (given == "balanced") {
    for (const double share : shares) weights.push_back(1 / (share * double(classes.size())));
  }
  if (!given.is_object()) return weights;
  weights.assign(classes.size(), 1);
  for (const auto& [name, weight] : given.items()) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "the label has no class \"" + name + "\"",
                   .where = "loss.class_weights",
                   .fix = Suggest(name, classes)});
    }
    weights[size_t(found - classes.begin())] = weight.get<double>();
  }
  return weights;
}

// The classes in their order, the share of each (the baseline), and the weights that follow from
// the shares. Shares are of rows with a label.
Result<Learned> LearnClasses(const TorchEstimatorOptions& options, const LossRow& loss,
                             const TextCounts& counts, const arrow::DataType& type) {
  Learned learned;
  Objective& objective = learned.objective;
  objective.kind = loss.kind;
  objective.labels = {{.column = options.label}};
  PT_LET(objective.class_type, TypeName(type));
  objective.classes = counts.ByFrequency();
  std::sort(objective.classes.begin(), objective.classes.end(),
            [whole = arrow::is_integer(type.id())](const std::string& a, const std::string& b) {
              return InOrder(a, b, whole);
            });
  PT_TRY(CheckClasses(options, loss, objective.classes));
  PT_TRY(PutPositiveLast(options, objective.classes));
  int64_t rows = 0;
  for (const std::string& name : objective.classes) rows += counts.FindCount(name);
  learned.baseline.emplace();
  for (const std::string& name : objective.classes) {
    learned.baseline->shares.push_back(double(counts.FindCount(name)) / double(rows));
  }
  const Json weights = options.loss.options.value("class_weights", Json());
  PT_LET(objective.class_weights,
         WeighClasses(weights, objective.classes, learned.baseline->shares));
  return learned;
}

}  // namespace

int64_t Objective::outputs() const {
  if (kind == TargetKind::kValues) return int64_t(labels.size());
  return kind == TargetKind::kTwoClasses ? 1 : int64_t(classes.size());
}

Columns ListLabels(const TorchEstimatorOptions& options) {
  return options.labels.empty() ? Columns{options.label} : options.labels;
}

Status CheckLabelType(TargetKind kind, const arrow::DataType& type) {
  if (kind == TargetKind::kValues) return CheckNumeric(type);
  const auto id = type.id();
  if (id == arrow::Type::STRING || id == arrow::Type::BOOL || arrow::is_integer(id)) {
    return Status::OK();
  }
  return Status::TypeError("text, whole numbers or booleans");
}

// Moments also tell whether a label goes below 0, which has no logarithm.
std::vector<Need> LabelNeeds(const TorchEstimatorOptions& options, const LossRow& loss) {
  if (loss.kind != TargetKind::kValues) return {{StateKind::kTexts, {options.label}}};
  std::vector<Need> needs;
  for (const std::string& label : ListLabels(options)) {
    if (options.label_scale == Scale::kStandard || loss.logarithmic) {
      needs.push_back({StateKind::kMoments, {label}});
    }
  }
  if (!options.train.baseline.empty()) {
    needs.push_back({StateKind::kLine, {options.train.baseline, options.label}});
  }
  return needs;
}

Result<Learned> LearnLabel(const TorchEstimatorOptions& options, const LossRow& loss,
                           std::span<const State> states, const arrow::DataType& type) {
  if (loss.kind == TargetKind::kValues) return LearnValues(options, loss, states);
  return LearnClasses(options, loss, std::get<TextCounts>(states[0]), type);
}

arrow::FieldVector PredictedFields(const TorchEstimatorOptions& options, TargetKind kind,
                                   const std::shared_ptr<arrow::DataType>& label) {
  arrow::FieldVector fields;
  if (kind == TargetKind::kValues) {
    if (options.labels.empty()) return {arrow::field(options.prediction, arrow::float64())};
    for (const std::string& each : options.labels) {
      fields.push_back(arrow::field(options.prediction + "_" + each, arrow::float64()));
    }
    return fields;
  }
  fields.push_back(arrow::field(options.prediction, label));
  fields.push_back(arrow::field(options.probability, arrow::float64()));
  if (!options.probabilities.empty()) {
    fields.push_back(arrow::field(options.probabilities, arrow::list(arrow::float64())));
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
