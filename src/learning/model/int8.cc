// SPDX-License-Identifier: Apache-2.0
#include "model/int8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/fault.h"
#include "model/row_net.h"
#include "nets/layers.h"

namespace protium {
namespace {

constexpr const char* kInFloat32 = "leave --precision out: the model then predicts in float32";

Status CannotInt8(std::string what, std::string why, std::string fix = kInFloat32) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = "--precision int8",
               .why = std::move(why),
               .fix = std::move(fix)});
}

// What the metrics of a saved model say of int8; null: nothing.
Json MeasuredIn(const Json& metrics) {
  const auto training = metrics.find("training");
  const bool there = training != metrics.end() && training->is_object();
  return there ? training->value("int8", Json()) : Json();
}

Status CheckComputesInt8(const std::string& net) {
  if (IsLayered(net)) return Status::OK();
  return CannotInt8(fmt::format("{} is not computed in int8", net),
                    fmt::format("only the nets {} are", fmt::join(LayeredNetNames(), ", ")));
}

Status CheckComputesInt8(const ModelState& state) {
  if (!state.chain->estimator) {
    return CannotInt8("a model without an estimator has no weights to round", "");
  }
  if (state.gpus_per_worker > 0) {
    return CannotInt8("GPUs do not compute in int8", "", "leave --gpus or --precision out");
  }
  return CheckComputesInt8(state.net.net.name);
}

Result<Int8Loss> LossFrom(const Json& measured) {
  const auto number = [&](const char* key) {
    return measured.is_object() && measured.contains(key) && measured[key].is_number();
  };
  if (!number("float32") || !number("int8")) {
    return CannotInt8("it is not known how much worse this model is in int8",
                      "a training on the CPU with validation rows measures that; this one did not",
                      "train it again with train.validation.share above 0");
  }
  return Int8Loss{.metric = measured.value("metric", ""),
                  .float32 = measured["float32"].get<double>(),
                  .int8 = measured["int8"].get<double>(),
                  .higher_is_better = measured.value("higher_is_better", false)};
}

Status CheckAllowed(const Int8Loss& loss, double most_loss) {
  if (loss.share() <= most_loss) return Status::OK();
  return CannotInt8(
      fmt::format("in int8 the model's {} on its validation rows is {:.6g}, {:.2g}% worse than "
                  "{:.6g} in float32",
                  loss.metric, loss.int8, loss.share() * 100, loss.float32),
      fmt::format("no more than {:.2g}% is allowed", most_loss * 100),
      "--most-loss allows more; without --precision the model predicts in float32");
}

}  // namespace

double Int8Loss::share() const {
  const double worse = higher_is_better ? float32 - int8 : int8 - float32;
  if (worse == 0) return 0;
  return worse / std::max(std::abs(float32), std::numeric_limits<double>::min());
}

Result<Int8Loss> LossOfInt8(const ModelState& state) {
  PT_TRY(CheckComputesInt8(state));
  return LossFrom(state.loaded ? MeasuredIn(state.metrics) : state.trained.int8);
}

Result<Int8Loss> AllowedInt8(const ModelFiles& files, double most_loss) {
  const auto net = files.json.find("net.json"), metrics = files.json.find("metrics.json");
  if (net == files.json.end()) {
    return CannotInt8("a model without an estimator has no weights to round", "");
  }
  NetConfig config;
  PT_TRY(FieldsFromJson(net->second, "net.json", config));
  PT_TRY(CheckComputesInt8(config.net.name));
  PT_LET(Int8Loss loss,
         LossFrom(metrics == files.json.end() ? Json() : MeasuredIn(metrics->second)));
  PT_TRY(CheckAllowed(loss, most_loss));
  return loss;
}

std::string Describe(const Int8Loss& loss) {
  return fmt::format("in int8: {} {:.6g} on the model's validation rows, in float32 {:.6g}",
                     loss.metric, loss.int8, loss.float32);
}

Result<PipelineModel> WithInt8(const PipelineModel& model, double most_loss) {
  PT_LET(const Int8Loss loss, LossOfInt8(StateOf(model)));
  PT_TRY(CheckAllowed(loss, most_loss));
  ModelState copy = StateOf(model);
  copy.int8 = true;
  return PipelineModel(std::make_shared<const ModelState>(std::move(copy)));
}

Result<std::shared_ptr<const RowPredictor>> OpenPredictor(const ModelState& state) {
  if (state.int8) return OpenRowNet(state.net, state.trained.weights, true);
  return state.chain->estimator->kind->Open(state.net, state.trained.weights);
}

}  // namespace protium
