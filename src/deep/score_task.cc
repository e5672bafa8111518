// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/fault.h"
#include "column/metrics.h"
#include "deep/tasks.h"
#include "format/safetensors.h"
#include "score/scorer.h"
#include "tensor/weights.h"
#include "train/fingerprint.h"

namespace protium {
namespace {

// Measures predictions and those of the straight line beside them, where the label is known.
class Measured {
 public:
  static Result<std::optional<Measured>> Make(const ScoreConfig& config,
                                              const arrow::Schema& schema) {
    const bool labelled = schema.GetFieldIndex(config.net.label) >= 0;
    if (config.metrics.empty() || !labelled) return std::optional<Measured>();
    PT_LET(MetricState model, MetricState::Make(config.metrics));
    Measured out(config, std::move(model));
    const bool lined = config.baseline && schema.GetFieldIndex(config.baseline->column) >= 0;
    if (lined) {
      PT_LET(out.baseline_, MetricState::Make(config.metrics));
    }
    return std::optional<Measured>(std::move(out));
  }

  Status Add(const arrow::RecordBatch& batch, const std::vector<double>& predictions) {
    PT_LET(const std::vector<double> labels, Doubles(batch, config_->net.label));
    for (size_t i = 0; i < labels.size(); ++i) {
      if (!std::isnan(labels[i])) model_.Add(labels[i], predictions[i]);
    }
    if (!baseline_) return Status::OK();
    PT_LET(const std::vector<double> xs, Doubles(batch, config_->baseline->column));
    for (size_t i = 0; i < labels.size(); ++i) {
      if (std::isnan(labels[i]) || std::isnan(xs[i])) continue;
      const double line = config_->baseline->intercept + config_->baseline->slope * xs[i];
      baseline_->Add(labels[i], line);
    }
    return Status::OK();
  }

  Json Event() const {
    Json event = {{"event", "score_metrics"}, {"model", model_.ToJson()}};
    if (baseline_) event["baseline"] = baseline_->ToJson();
    return event;
  }

 private:
  Measured(const ScoreConfig& config, MetricState model)
      : config_(&config), model_(std::move(model)) {}

  const ScoreConfig* config_;
  MetricState model_;
  std::optional<MetricState> baseline_;
};

// The columns that `output` wants of the batch, and the predictions, which it has last.
Result<std::shared_ptr<arrow::RecordBatch>> Scored(const SchemaPtr& output,
                                                   const arrow::RecordBatch& batch,
                                                   const std::vector<double>& predictions) {
  arrow::ArrayVector columns;
  for (int i = 0; i + 1 < output->num_fields(); ++i) {
    columns.push_back(batch.GetColumnByName(output->field(i)->name()));
    if (columns.back() == nullptr) {
      return Status::KeyError("no column \"", output->field(i)->name(), "\" in the input of score");
    }
  }
  arrow::DoubleBuilder builder;
  PT_TRY(builder.AppendValues(predictions));
  PT_TRY(builder.Finish(&columns.emplace_back()));
  return arrow::RecordBatch::Make(output, batch.num_rows(), std::move(columns));
}

Status CheckName(const ScoreConfig& config, const arrow::Schema& schema) {
  if (schema.GetFieldIndex(config.prediction) < 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the input has a column {} already", config.prediction),
               .where = "prediction",
               .fix = "name the prediction otherwise, or drop the column"});
}

}  // namespace

Status RunScoreTask(TaskContext& context, const NetTable& nets) {
  ScoreConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  BatchStream& input = context.input();
  PT_TRY(CheckName(config, *input.schema()));
  PT_TRY(UseThreads(1));
  PT_LET(const auto net, BuildNet(nets, config.net.net.name, ShapeOf(config.net)));
  PT_LET(const auto weights, Weights::Make(*net));
  PT_LET(const Safetensors file, Safetensors::Read(config.weights));
  PT_TRY(weights->Load(file, config.weights));
  RowLayout layout = LayoutOf(config.net);
  layout.label.clear();
  Scorer scorer(*net, layout, ShapeOf(config.net).cardinalities);
  PT_LET(std::optional<Measured> measured, Measured::Make(config, *input.schema()));
  int64_t rows = 0;
  while (true) {
    PT_LET(const auto batch, input.Next());
    if (batch == nullptr) break;
    const auto predicted = scorer.Predict(*batch);
    PT_TRY(Annotate(predicted.status(), fmt::format("scoring, after {} rows", rows)));
    if (measured) PT_TRY(measured->Add(*batch, *predicted));
    PT_LET(const auto out, Scored(context.output_schema(), *batch, *predicted));
    PT_TRY(context.Emit(*out));
    rows += batch->num_rows();
    if (context.stop().stop_requested()) return Status::Cancelled("scoring was stopped");
  }
  if (measured) context.Report(measured->Event());
  return Status::OK();
}

}  // namespace protium
