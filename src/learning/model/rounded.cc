// SPDX-License-Identifier: Apache-2.0
#include "model/rounded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/row_graph.h"
#include "model/row_net.h"
#include "nets/layers.h"
#include "onnx_graph/net.h"

namespace protium {
namespace {

constexpr const char* kInFloat32 = "leave --precision out: the weights are then those of float32";

Status CannotRound(WeightPrecision precision, std::string what, std::string why,
                   std::string fix = kInFloat32) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = fmt::format("--precision {}", NameOf(precision)),
               .why = std::move(why),
               .fix = std::move(fix)});
}

// What the metrics of a saved model say of rounded weights; null: nothing.
Json MeasuredIn(const Json& metrics) {
  const auto training = metrics.find("training");
  if (training == metrics.end() || !training->is_object()) return Json();
  // Earlier releases measured int8 alone.
  return training->value("rounded", training->value("int8", Json()));
}

Status CheckRounds(WeightPrecision precision, const std::string& net) {
  if (onnx::IsGraphed(net)) return Status::OK();
  return CannotRound(precision, fmt::format("{} is not computed in {}", net, NameOf(precision)),
                     fmt::format("only the nets {} are", fmt::join(onnx::GraphedNetNames(), ", ")));
}

Status CheckComputesInt8(const ModelState& state) {
  constexpr WeightPrecision kInt8 = WeightPrecision::kInt8;
  if (!state.chain->estimator) {
    return CannotRound(kInt8, "a model without an estimator has no weights to round", "");
  }
  if (state.gpus_per_worker > 0) {
    return CannotRound(kInt8, "GPUs do not compute in int8", "", "leave --gpus or --precision out");
  }
  return CheckRounds(kInt8, state.net.net.name);
}

Result<RoundedLoss> LossFrom(const Json& measured, WeightPrecision precision) {
  const char* const name = NameOf(precision);
  const auto number = [&](const char* key) {
    return measured.is_object() && measured.contains(key) && measured[key].is_number();
  };
  if (!number("float32") || !number(name)) {
    return CannotRound(
        precision, fmt::format("it is not known how much worse this model is in {}", name),
        "a training with validation rows measures that, for layers in int8 on the CPU alone; this "
        "one did not",
        "train it again with train.validation.share above 0");
  }
  return RoundedLoss{.precision = precision,
                     .metric = measured.value("metric", ""),
                     .float32 = measured["float32"].get<double>(),
                     .rounded = measured[name].get<double>(),
                     .higher_is_better = measured.value("higher_is_better", false)};
}

Status CheckAllowed(const RoundedLoss& loss, double most_loss) {
  if (loss.share() <= most_loss) return Status::OK();
  return CannotRound(
      loss.precision,
      fmt::format("in {} the model's {} on its validation rows is {:.6g}, {:.2g}% worse than "
                  "{:.6g} in float32",
                  NameOf(loss.precision), loss.metric, loss.rounded, loss.share() * 100,
                  loss.float32),
      fmt::format("no more than {:.2g}% is allowed", most_loss * 100),
      "--most-loss allows more; without --precision the weights are those of float32");
}

}  // namespace

double RoundedLoss::share() const {
  const double worse = higher_is_better ? float32 - rounded : rounded - float32;
  if (worse == 0) return 0;
  return worse / std::max(std::abs(float32), std::numeric_limits<double>::min());
}

Result<RoundedLoss> LossOfInt8(const ModelState& state) {
  PT_TRY(CheckComputesInt8(state));
  return LossFrom(state.loaded ? MeasuredIn(state.metrics) : state.trained.rounded,
                  WeightPrecision::kInt8);
}

Result<RoundedLoss> AllowedLoss(const ModelFiles& files, WeightPrecision precision,
                                double most_loss) {
  const auto net = files.json.find("net.json"), metrics = files.json.find("metrics.json");
  if (net == files.json.end()) {
    return CannotRound(precision, "a model without an estimator has no weights to round", "");
  }
  NetConfig config;
  PT_TRY(FieldsFromJson(net->second, "net.json", config));
  PT_TRY(CheckRounds(precision, config.net.name));
  if (precision == WeightPrecision::kBfloat16 && ShapeOf(config).ids > 0) {
    return CannotRound(precision, "a net that reads ids is not computed in bf16",
                       "graphs hold such weights, and none expresses ids");
  }
  PT_LET(RoundedLoss loss,
         LossFrom(metrics == files.json.end() ? Json() : MeasuredIn(metrics->second), precision));
  PT_TRY(CheckAllowed(loss, most_loss));
  return loss;
}

std::string Describe(const RoundedLoss& loss) {
  return fmt::format("in {}: {} {:.6g} on the model's validation rows, in float32 {:.6g}",
                     NameOf(loss.precision), loss.metric, loss.rounded, loss.float32);
}

Result<PipelineModel> WithInt8(const PipelineModel& model, double most_loss) {
  PT_LET(const RoundedLoss loss, LossOfInt8(StateOf(model)));
  PT_TRY(CheckAllowed(loss, most_loss));
  ModelState copy = StateOf(model);
  copy.int8 = true;
  return PipelineModel(std::make_shared<const ModelState>(std::move(copy)));
}

Result<std::shared_ptr<const RowPredictor>> OpenPredictor(const ModelState& state) {
  if (state.int8 && IsLayered(state.net.net.name)) {
    return OpenRowNet(state.net, state.trained.weights, true);
  }
  if (state.int8) {
    return OpenRowGraph(state.net, state.trained.weights, {}, WeightPrecision::kInt8);
  }
  return state.chain->estimator->kind->Open(state.net, state.trained.weights);
}

Status WriteRounded(const std::filesystem::path& weights, WeightPrecision precision,
                    const std::filesystem::path& out) {
  PT_LET(const Safetensors file, Safetensors::Read(weights));
  std::deque<std::vector<float>> rounded;
  std::vector<NamedTensor> tensors = file.tensors();
  for (NamedTensor& each : tensors) {
    if (each.dtype != "F32" || !IsRounded(each.shape)) continue;
    std::vector<float>& values = rounded.emplace_back(each.data.size() / sizeof(float));
    std::memcpy(values.data(), each.data.data(), each.data.size());
    RoundNumbers(values, each.shape, precision);
    each.data = std::as_bytes(std::span(values));
  }
  return WriteSafetensors(out, tensors, file.metadata());
}

}  // namespace protium
