// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>

#include "base/fault.h"
#include "events/events.h"
#include "format/safetensors.h"
#include "metrics/diagnostics.h"
#include "metrics/metrics.h"
#include "model/background.h"
#include "model/explanations.h"
#include "model/net_rows.h"
#include "model/predictions.h"
#include "model/row_graph.h"
#include "nets/layers.h"
#include "nets/weight_precision.h"
#include "rows/cells.h"
#include "tasks/net_scorer.h"
#include "tasks/task_device.h"
#include "tasks/tasks.h"
#include "tensor/guard.h"
#include "tensor/id_tables.h"
#include "tensor/weights.h"

// The task "score": batches of one partition go through the net and are emitted with the predicted
// columns after their own. If metrics are wanted, rows with known labels are also compared with the
// model and with the baseline; the task reports mergeable states, which the driver merges over all
// partitions. There is no gang: partitions know nothing of each other, and a failed one can be run
// again.

namespace protium {
namespace {

// Measures the model and the baseline on the rows whose labels are known. A row without a label is
// skipped; one of a class that training never saw is counted (unseen_rows) and skipped, since no
// output represents it.
class Measured {
 public:
  // nullopt if the config asks for no metrics. Stores a pointer to `config`, which must outlive it.
  static Result<std::optional<Measured>> Make(const ScoreConfig& config, const Target& target,
                                              const std::vector<MetricSpec>& own) {
    if (config.metrics.empty()) return std::optional<Measured>();
    PT_LET(MetricState model, MetricState::Make(config.metrics, target.kind, own));
    Measured out(config, target, std::move(model));
    if (config.baseline) {
      PT_LET(out.baseline_, MetricState::Make(config.metrics, target.kind, own));
      out.constant_ = ConstantScores(*config.baseline, target.kind);
    }
    return std::optional<Measured>(std::move(out));
  }

  Status Add(const arrow::RecordBatch& batch, std::span<const float> outputs) {
    PT_TRY(ReadLabels(batch));
    PT_TRY(CheckWeights());
    PT_TRY(ReadGroups(batch));
    PT_TRY(ReadScales(batch));
    const auto width = size_t(target_.outputs());
    std::vector<double> labels(labels_.size()), scores(width);
    for (size_t i = 0; i < size_t(batch.num_rows()); ++i) {
      if (!TakeLabels(i, labels)) continue;
      target_.Scores(outputs.data() + i * width, scores);
      const double weight = weights_.empty() ? 1 : weights_[i];
      const uint64_t group = groups_.empty() ? 0 : groups_[i];
      for (size_t s = 0; s < scales_.size(); ++s) scales_[s].scale = scale_columns_[s][i];
      const Judged row = target_.Judge(labels, scores, weight, group, scales_);
      model_.Add(row);
      diagnostics_.Add(row);
      if (!baseline_) continue;
      double line = 0;
      const std::span<const double> compared = BaselineScores(i, line);
      // The baseline is a line in one column, which may be NULL where the model's own inputs are
      // imputed. Its threshold is always 0.5.
      if (std::isnan(compared[0])) continue;
      baseline_->Add({labels, compared, weight, target_.levels, 0, group, scales_});
    }
    seen_ += batch.num_rows();
    return Status::OK();
  }

  ScoredStates States() const {
    ScoredStates states{.model = model_.ToJson(), .diagnostics = diagnostics_.ToJson()};
    if (baseline_) states.baseline = baseline_->ToJson();
    if (unseen_ > 0) states.unseen_rows = unseen_;
    return states;
  }

 private:
  Measured(const ScoreConfig& config, const Target& target, MetricState model)
      : config_(&config), target_(target), model_(std::move(model)), diagnostics_(target.kind) {}

  Status ReadScales(const arrow::RecordBatch& batch) {
    scales_.clear();
    scale_columns_.clear();
    for (const int64_t season : config_->seasons) {
      scales_.push_back({season, 0});
      PT_LET(auto values, Doubles(batch, ScaleColumn(season)));
      scale_columns_.push_back(std::move(values));
    }
    return Status::OK();
  }

  bool of_classes() const { return OfClasses(target_.kind); }
  // Whether the baseline is a line in a column.
  bool of_line() const { return baseline_ && !config_->baseline->column.empty(); }

  Status ReadLabels(const arrow::RecordBatch& batch) {
    labels_.clear();
    for (const ScaledLabel& label : config_->net.objective.labels) {
      PT_LET(auto values, Doubles(batch, of_classes() ? kClassColumn : label.column));
      labels_.push_back(std::move(values));
    }
    if (!config_->weight.empty()) {
      PT_LET(weights_, Doubles(batch, config_->weight));
    }
    if (!of_line()) return Status::OK();
    PT_LET(line_, Doubles(batch, config_->baseline->column));
    return Status::OK();
  }

  Status ReadGroups(const arrow::RecordBatch& batch) {
    if (config_->group.empty()) return Status::OK();
    const auto column = batch.GetColumnByName(config_->group);
    if (column == nullptr) {
      return Fail({.exit = Exit::kBug, .what = "the rows have no column " + config_->group});
    }
    PT_LET(groups_, Identities(*column->data()));
    for (int64_t i = 0; i < column->length(); ++i) {
      if (column->IsValid(i)) continue;
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("column {} is NULL, so a row belongs to no group", config_->group),
           .where = fmt::format("column {}, row {} of a partition", config_->group, seen_ + i + 1),
           .fix = "leave these rows out (WHERE " + config_->group + " IS NOT NULL)"});
    }
    return Status::OK();
  }

  // As in training: a weight is how often a row counts.
  Status CheckWeights() const {
    const auto found = std::ranges::find_if(weights_, [](double weight) { return weight < 0; });
    if (found == weights_.end()) return Status::OK();
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("column {} is {}, but a weight is 0 or more", config_->weight,
                                     Dump(Json(*found))),
                 .where = fmt::format("column {}, row {} of a partition", config_->weight,
                                      seen_ + (found - weights_.begin()) + 1),
                 .fix = "leave these rows out (WHERE " + config_->weight + " >= 0)"});
  }

  // Returns false for a row whose labels or weight are not known, or of a class that was never
  // learned.
  bool TakeLabels(size_t row, std::span<double> labels) {
    for (size_t l = 0; l < labels.size(); ++l) {
      labels[l] = labels_[l][row];
      if (std::isnan(labels[l])) return false;
    }
    if (!weights_.empty() && std::isnan(weights_[row])) return false;
    const bool unseen = of_classes() && labels[0] < 0;
    unseen_ += unseen ? 1 : 0;
    return !unseen;
  }

  // The baseline that is the same for every row: for numbers its values; otherwise the outputs with
  // which a net would predict the shares of the training rows, the logit for two classes and for
  // flags, logarithms for more classes (a softmax restores the shares).
  static std::vector<double> ConstantScores(const Baseline& baseline, TargetKind kind) {
    const std::vector<double>& shares = baseline.shares;
    if (kind == TargetKind::kTwoClasses) return {std::log(shares[1] / shares[0])};
    std::vector<double> scores = baseline.values;
    for (const double share : shares) {
      scores.push_back(kind == TargetKind::kFlags ? std::log(share / (1 - share))
                                                  : std::log(share));
    }
    return scores;
  }

  std::span<const double> BaselineScores(size_t row, double& line) const {
    if (!of_line()) return constant_;
    line = config_->baseline->intercept + config_->baseline->slope * line_[row];
    return {&line, 1};
  }

  const ScoreConfig* config_;
  Target target_;
  MetricState model_;
  Diagnostics diagnostics_;
  std::optional<MetricState> baseline_;
  std::vector<std::vector<double>> labels_;         // Of the current batch.
  std::vector<double> line_;                        // The column that the baseline is a line in.
  std::vector<double> weights_;                     // Likewise; empty: 1.
  std::vector<uint64_t> groups_;                    // Likewise; empty: there are none.
  std::vector<std::vector<double>> scale_columns_;  // Likewise, for each season.
  std::vector<SeasonScale> scales_;                 // Of the current row.
  std::vector<double> constant_;                    // The baseline without a column, as scores.
  int64_t unseen_ = 0;
  int64_t seen_ = 0;  // Rows of the previous batches.
};

// Returns the rows with the columns that `output` names: those of the batch by name, then the
// predicted ones. Columns are shared with the batch, not copied.
Result<std::shared_ptr<arrow::RecordBatch>> Scored(const SchemaPtr& output,
                                                   const arrow::RecordBatch& batch,
                                                   arrow::ArrayVector predicted) {
  arrow::ArrayVector columns;
  for (int i = 0; i + int(predicted.size()) < output->num_fields(); ++i) {
    columns.push_back(batch.GetColumnByName(output->field(i)->name()));
    if (columns.back() == nullptr) {
      return Fail(
          {.exit = Exit::kBug,
           .what = fmt::format("the rows to score have no column {}", output->field(i)->name())});
    }
  }
  columns.insert(columns.end(), predicted.begin(), predicted.end());
  return arrow::RecordBatch::Make(output, batch.num_rows(), std::move(columns));
}

// A table with two columns of one name could be written, but they could not be addressed by name
// afterwards.
Status CheckPredictionNames(const ScoreConfig& config, const arrow::Schema& schema) {
  for (const std::string& name : config.added) {
    if (schema.GetFieldIndex(name) < 0) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the input already has a column {}", name),
                 .where = "prediction",
                 .fix = "give the prediction another name, or drop the column"});
  }
  return Status::OK();
}

// The fields of `output` for the predictions; behind them are only those that explain them.
arrow::FieldVector AddedFields(const ScoreConfig& config, const arrow::Schema& output) {
  const auto& fields = output.fields();
  const size_t added = std::min(config.added.size(), fields.size());
  const size_t explained = std::min(ExplainedFields(config.explain).size(), added);
  return {fields.end() - ptrdiff_t(added), fields.end() - ptrdiff_t(explained)};
}

// Returns the outputs of each row of a batch, valid until the next call.
using PredictBatch = std::function<Result<std::span<const float>>(const arrow::RecordBatch&)>;
// Returns the columns that explain these outputs.
using ExplainBatch = std::function<Result<arrow::ArrayVector>(const arrow::RecordBatch& rows,
                                                              std::span<const float> outputs)>;

// `explain`: empty without explanations.
Status ScoreBatches(const ScoreConfig& config, const PredictBatch& predict,
                    const ExplainBatch& explain, const std::vector<MetricSpec>& own,
                    TaskContext& context) {
  const Target target = MakeTarget(config.net.objective);
  PT_LET(std::optional<Measured> measured, Measured::Make(config, target, own));
  PT_LET(const auto predictions, Predictions::Make(config.net.objective, target,
                                                   AddedFields(config, *context.output_schema())));
  int64_t rows = 0;
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (batch == nullptr) break;
    const auto outputs = predict(*batch);
    PT_TRY(Annotate(outputs.status(), fmt::format("scoring, after {} rows", rows)));
    if (measured) PT_TRY(measured->Add(*batch, *outputs));
    PT_LET(auto columns, predictions.Columns(*outputs));
    if (explain) {
      PT_LET(auto explained, explain(*batch, *outputs));
      std::ranges::move(explained, std::back_inserter(columns));
    }
    PT_LET(const auto out, Scored(context.output_schema(), *batch, std::move(columns)));
    PT_TRY(context.Emit(*out));
    rows += batch->num_rows();
    if (context.stop().stop_requested()) return Status::Cancelled("scoring was stopped");
  }
  if (measured) context.Send(EventToJson(measured->States()));
  return Status::OK();
}

// Empty if no explanations are wanted.
Result<ExplainBatch> MakeExplain(const ScoreConfig& config, ExplainRows rows) {
  if (config.explain.columns == 0) return ExplainBatch();
  PT_LET(auto background, ReadBackground(config.explain.background, config.net));
  const auto explanations = std::make_shared<const Explanations>(
      config.net.objective, config.explain, std::move(background));
  return ExplainBatch([explanations, rows = std::move(rows)](const arrow::RecordBatch& batch,
                                                             std::span<const float> outputs) {
    return explanations->Columns(rows, batch, outputs);
  });
}

Status PredictInInt8(const ScoreConfig& config, Net& net, Weights& weights) {
  if (!IsLayered(config.net.net.name)) return RoundWeights(weights, WeightPrecision::kInt8);
  if (net.PredictInInt8(true)) return Status::OK();
  return Fail({.exit = Exit::kBug, .what = "the net cannot be computed in int8"});
}

Status ScoreWithNet(const ScoreConfig& config, const TaskRows& known, TaskContext& context) {
  // Workers already share the cores: one thread, the default of inputs, so that sums have one
  // order. Rows to score are packed without labels and weights: tables to predict for have neither.
  NetInputs inputs = MakeNetInputs(config);
  if (known.prepare) PT_TRY(known.prepare(inputs.threads));
  PT_LET(inputs.device, ChooseDevice(context, config.device, known));
  PT_LET(const TaskRows all, WithExtensions(known, config.extensions));
  PT_LET(const Safetensors file, Safetensors::Read(config.weights));
  if (const RowField* const ids = inputs.rows.Find(kIdsField)) {
    PT_LET(inputs.ids, IdTables::Read(file, ids->columns.size(), config.weights));
  }
  PT_LET(const auto net, BuildNetThere(all.nets, config.net.net, inputs));
  PT_LET(const auto weights, Weights::Make(*net, inputs.device));
  PT_TRY(weights->Load(file, config.weights));
  PT_TRY(Guard("sending weights", [&] { weights->Upload(); }));
  if (config.int8) PT_TRY(PredictInInt8(config, *net, *weights));
  NetScorer scorer(*net, inputs);
  const auto predict = [&](const arrow::RecordBatch& batch) { return scorer.Predict(batch); };
  PT_LET(const ExplainBatch explain,
         MakeExplain(config, [&](const auto&... rows) { return scorer.Explain(rows...); }));
  return ScoreBatches(config, predict, explain, all.metrics, context);
}

// What predicts by itself, on one thread; null: a net of the worker's.
Result<std::shared_ptr<const RowPredictor>> OpenPredictor(const ScoreConfig& config,
                                                          const TaskRows& known) {
  if (config.as_graph) {
    return OpenRowGraph(config.net, config.weights, config.scaled,
                        config.int8 ? WeightPrecision::kInt8 : WeightPrecision::kFloat32);
  }
  const auto kind = known.estimators.find(config.net.net.name);
  if (kind == known.estimators.end()) return std::shared_ptr<const RowPredictor>();
  return kind->second->Open(config.net, config.weights);
}

Status ScoreWithPredictor(const RowPredictor& predictor, const ScoreConfig& config,
                          const TaskRows& known, TaskContext& context) {
  PT_LET(const TaskRows all, WithExtensions(known, config.extensions));
  std::vector<float> outputs;
  const auto predict = [&](const arrow::RecordBatch& batch) -> Result<std::span<const float>> {
    PT_LET(outputs, predictor.Outputs(batch));
    return std::span<const float>(outputs);
  };
  PT_LET(const ExplainBatch explain,
         MakeExplain(config, [&](const auto&... rows) { return predictor.Explain(rows...); }));
  return ScoreBatches(config, predict, explain, all.metrics, context);
}

}  // namespace

Status RunScoreTask(TaskContext& context, const TaskRows& known) {
  ScoreConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  PT_TRY(CheckPredictionNames(config, *context.input().schema()));
  PT_LET(const auto predictor, OpenPredictor(config, known));
  return predictor == nullptr ? ScoreWithNet(config, known, context)
                              : ScoreWithPredictor(*predictor, config, known, context);
}

}  // namespace protium
