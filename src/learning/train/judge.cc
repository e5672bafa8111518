// SPDX-License-Identifier: Apache-2.0
#include "train/judge.h"

#include <algorithm>
#include <memory>

#include "nets/weight_precision.h"
#include "tensor/predict.h"
#include "train/importance.h"

namespace protium {
namespace {

// The rows of a forward at a time, since a worker has room for no more ids.
Status PredictServed(const BatchRows& rows, std::span<float> out, Predictor& net,
                     ServedTables& served) {
  const int64_t outputs = rows.size() == 0 ? 0 : int64_t(out.size()) / rows.size();
  for (int64_t at = 0; at < rows.size(); at += ServedTables::kPredictRows) {
    const int64_t end = std::min(rows.size(), at + ServedTables::kPredictRows);
    const BatchRows part = rows.Slice(at, end);
    PT_TRY(served.Pull({&part, 1}));
    PT_TRY(net.Predict(part, out.subspan(size_t(at * outputs), size_t((end - at) * outputs))));
  }
  return Status::OK();
}

// What a training is measured by, for each precision.
struct Judging {
  const std::filesystem::path& weights;
  const Learner& learner;
  const MetricSpec& metric;
  const TrainInput& input;
  Validation& validation;
};

// Of a net made of layers, which computes in int8 itself.
Status MeasureLayersInInt8(const Judging& judged, Json& measured) {
  Net& net = judged.input.net;
  if (!net.PredictInInt8(true)) return Status::OK();
  const Result<Json> rounded = judged.validation.Measure(*judged.input.communicator);
  net.PredictInInt8(false);
  PT_TRY(rounded.status());
  measured["int8"] = (*rounded)[judged.metric.name];
  return Status::OK();
}

Status MeasureWeightsIn(WeightPrecision precision, const Judging& judged, Json& measured) {
  PT_TRY(RoundWeights(judged.input.weights, precision));
  PT_LET(const Json rounded, judged.validation.Measure(*judged.input.communicator));
  measured[NameOf(precision)] = rounded[judged.metric.name];
  return LoadWeights(judged.weights, judged.learner, *judged.input.communicator);
}

// TrainOutcome::rounded; null: the net rounds nothing.
Result<Json> MeasureRounded(const Judging& judged, const Json& float32) {
  Json measured = {{"metric", judged.metric.name},
                   {"float32", float32[judged.metric.name]},
                   {"higher_is_better", judged.metric.higher_is_better}};
  const size_t facts = measured.size();
  PT_TRY(judged.input.rounds_weights ? MeasureWeightsIn(WeightPrecision::kInt8, judged, measured)
                                     : MeasureLayersInInt8(judged, measured));
  // Graphs hold such weights, and none expresses ids.
  if (judged.input.net.ids() == nullptr) {
    PT_TRY(MeasureWeightsIn(WeightPrecision::kBfloat16, judged, measured));
  }
  return measured.size() > facts ? measured : Json();
}

}  // namespace

PredictRows PredictsWith(const TrainInput& input, int64_t outputs) {
  const auto net = std::make_shared<Predictor>(input.net, outputs, input.weights.device());
  return [net, served = input.served](const PackedRows& rows, std::span<float> out) {
    const BatchRows batch(rows.schema(), rows.row(0), rows.size());
    return served == nullptr ? net->Predict(batch, out) : PredictServed(batch, out, *net, *served);
  };
}

Status JudgeWeights(const std::filesystem::path& weights, const Learner& learner,
                    const TrainSpec& spec, const TrainInput& input, Validation& validation,
                    TrainOutcome& out) {
  PT_TRY(LoadWeights(weights, learner, *input.communicator));
  PT_LET(out.decision, validation.FitDecision(spec.decision, *input.communicator));
  Diagnostics diagnostics(spec.target.kind);
  PT_LET(out.validation, validation.Measure(*input.communicator, &diagnostics));
  out.diagnostics = diagnostics.Drawn();
  PT_LET(const MetricSpec best, FindMetric(spec.train.best, spec.own_metrics));
  PT_LET(out.rounded, MeasureRounded({weights, learner, best, input, validation}, out.validation));
  const ImportanceSpec asked{best, spec.train.validation.importance_rows, spec.train.seed};
  PT_LET(out.importance,
         MeasureImportance(asked, *input.validation, validation, *input.communicator));
  return Status::OK();
}

}  // namespace protium
