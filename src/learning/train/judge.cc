// SPDX-License-Identifier: Apache-2.0
#include "train/judge.h"

#include <memory>

#include "format/safetensors.h"
#include "tensor/guard.h"
#include "tensor/predict.h"
#include "train/importance.h"

namespace protium {
namespace {

// Until now the nets have the weights of the last step.
Status LoadEverywhere(const std::filesystem::path& weights, const TrainInput& input) {
  if (input.communicator->rank() == 0) {
    PT_LET(const Safetensors file, Safetensors::Read(weights));
    PT_TRY(input.weights.Load(file, weights.string()));
  }
  PT_TRY(input.communicator->Broadcast(std::as_writable_bytes(input.weights.parameters()), 0));
  PT_TRY(input.communicator->Broadcast(std::as_writable_bytes(input.weights.buffers()), 0));
  return Guard("sending weights", [&] { input.weights.Upload(); });
}

Result<Json> MeasureInt8(const MetricSpec& metric, const TrainInput& input, Validation& validation,
                         const Json& float32) {
  if (!input.net.PredictInInt8(true)) return Json();
  const Result<Json> rounded = validation.Measure(*input.communicator);
  input.net.PredictInInt8(false);
  PT_TRY(rounded.status());
  return Json{{"metric", metric.name},
              {"float32", float32[metric.name]},
              {"int8", (*rounded)[metric.name]},
              {"higher_is_better", metric.higher_is_better}};
}

}  // namespace

PredictRows PredictsWith(const TrainInput& input, int64_t outputs) {
  const auto net = std::make_shared<Predictor>(input.net, outputs, input.weights.device());
  return [net](const PackedRows& rows, std::span<float> out) {
    return net->Predict({rows.schema(), rows.row(0), rows.size()}, out);
  };
}

Status JudgeWeights(const std::filesystem::path& weights, const TrainSpec& spec,
                    const TrainInput& input, Validation& validation, TrainOutcome& out) {
  PT_TRY(LoadEverywhere(weights, input));
  PT_LET(out.decision, validation.FitDecision(spec.decision, *input.communicator));
  Diagnostics diagnostics(spec.target.kind);
  PT_LET(out.validation, validation.Measure(*input.communicator, &diagnostics));
  out.diagnostics = diagnostics.Drawn();
  PT_LET(const MetricSpec best, FindMetric(spec.train.best, spec.own_metrics));
  PT_LET(out.int8, MeasureInt8(best, input, validation, out.validation));
  const ImportanceSpec asked{best, spec.train.validation.importance_rows, spec.train.seed};
  PT_LET(out.importance,
         MeasureImportance(asked, *input.validation, validation, *input.communicator));
  return Status::OK();
}

}  // namespace protium
