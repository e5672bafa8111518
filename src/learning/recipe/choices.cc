// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/fault.h"
#include "protium/losses.h"
#include "protium/nets.h"
#include "protium/training.h"
#include "recipe/depends_on_steps.h"

namespace protium {

Json ToJson(const Choice& choice) {
  Json json = {{"name", choice.name}};
  for (const auto& [key, value] : choice.options.items()) json[key] = value;
  return json;
}

// A table without a name is merged into the current choice, so `choice` is input as well. One with
// a name starts over: options of another choice would not fit it.
Status FromJson(const Json& json, const std::string& path, Choice& choice) {
  if (json.is_string()) {
    choice = {json.get<std::string>(), Json::object()};
    return Status::OK();
  }
  const bool names = json.is_object() && json.contains("name");
  if (!json.is_object() || (names ? !json["name"].is_string() : choice.name.empty())) {
    return fields::Refuse(path, "a name, or a table with a name and its options", json);
  }
  if (names) choice = {json["name"].get<std::string>(), Json::object()};
  for (const auto& [key, value] : json.items()) {
    if (key != "name") choice.options[key] = value;
  }
  return Status::OK();
}

namespace {

// A text is short for a table with this name; in `from` (ModelOrStart), for one with this model.
Json AsTable(const Json& value, const std::string& key) {
  return value.is_string() ? Json{{key == "from" ? "model" : "name", value}} : value;
}

Json LaidOver(const Json& under, const Json& over, const std::string& key) {
  if (!under.is_object() && !over.is_object()) return over;
  const Json below = AsTable(under, key), above = AsTable(over, key);
  if (!below.is_object() || !above.is_object()) return over;
  if (above.contains("name") && below.value("name", Json()) != above["name"]) return above;
  std::vector<std::pair<std::string, Json>> members;
  std::map<std::string, size_t> positions;
  for (const Json* each : {&below, &above}) {
    for (const auto& [name, value] : each->items()) {
      const auto [at, fresh] = positions.emplace(name, members.size());
      if (fresh) members.emplace_back(name, value);
      if (!fresh) {
        members[at->second].second = LaidOver(members[at->second].second, value, name);
      }
    }
  }
  return ObjectOf(std::move(members));
}

}  // namespace

Json LaidOver(const Json& under, const Json& over) { return LaidOver(under, over, ""); }

FieldType DescribeType(const Choice&) { return {.words = "name, or table with a name"}; }

// Whether the classes exist is known only after the label has been read (WeighClasses in
// objective.cc).
Status CheckClassWeights(const Json& class_weights, const std::string& path) {
  bool fits = class_weights == "none" || class_weights == "balanced" || class_weights.is_object();
  for (const auto& weight : class_weights.is_object() ? class_weights : Json::object()) {
    fits = fits && weight.is_number() && weight.get<double>() > 0;
  }
  if (fits) return Status::OK();
  return fields::Refuse(path + ".class_weights",
                        "\"none\", \"balanced\", or a table of classes with weights above 0",
                        class_weights);
}

namespace {

Status CheckHeads(int32_t heads, int32_t width, const std::string& path) {
  if (width % heads == 0) return Status::OK();
  return fields::Refuse(path + ".heads", "a divisor of " + std::to_string(width), heads);
}

}  // namespace

Status FtTransformerOptions::Check(const std::string& path) const {
  return CheckHeads(heads, width, path);
}

Status TextClassifierOptions::Check(const std::string& path) const {
  return layers == 0 ? Status::OK() : CheckHeads(heads, embedding, path);
}

// The members part after the first hidden layer.
Status TabmOptions::Check(const std::string& path) const {
  if (!hidden.empty()) return Status::OK();
  return fields::Refuse(path + ".hidden", "a list of at least one width", fields::Write(hidden));
}

// With an even kernel no padding would leave height and width unchanged.
Status CnnOptions::Check(const std::string& path) const {
  if (kernel % 2 == 1) return Status::OK();
  return fields::Refuse(path + ".kernel", "an odd number", kernel);
}

// Written so that NaN is refused as well.
Status QuantileOptions::Check(const std::string& path) const {
  bool fits = !levels.empty();
  double before = 0;
  for (const double level : levels) {
    fits = fits && level > before && level < 1;
    before = level;
  }
  if (fits) return Status::OK();
  return fields::Refuse(path + ".levels", "shares between 0 and 1, ascending, such as [0.1, 0.9]",
                        fields::Write(levels));
}

// torch.optim.SGD refuses this combination too.
Status SgdOptions::Check(const std::string& path) const {
  if (!nesterov || momentum > 0) return Status::OK();
  return fields::Refuse(path + ".nesterov", "left out without momentum", nesterov);
}

// Always writes the table: the short form could not hold what is filled in later.
Json ToJson(const ModelOrStart& start) { return fields::Write<StartOptions>(start); }

Status FromJson(const Json& json, const std::string& path, ModelOrStart& start) {
  if (!json.is_string()) return fields::ReadObject<StartOptions>(json, path, start);
  start.model = json.get<std::string>();
  return Status::OK();
}

FieldType DescribeType(const ModelOrStart&) {
  return {.kind = FieldType::Kind::kEither,
          .words = "text or table",
          .of = {TypeOfField(std::string()), TypeOfField(StartOptions())}};
}

Status CheckContinues(const std::string& name, const StartOptions& from, const std::string& path) {
  constexpr size_t kMostLetters = 100;
  const auto is_letter = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (name.size() > kMostLetters || !std::ranges::all_of(name, is_letter)) {
    return fields::Refuse(path, "a name of letters, digits, \".\", \"_\" and \"-\"", name);
  }
  if (name.empty() || from.model != std::string(kKeptModel) + name) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "training cannot both continue " + name + " and begin with its weights",
               .where = path,
               .fix = "leave out one of continues and from"});
}

// Early stopping watches `best`, a metric, which is measured on validation rows only.
Status TrainOptions::Check(const std::string& path) const {
  const auto refuse = [&](const char* key, std::string must, const Json& got) {
    return fields::Refuse(path + key, must, got);
  };
  if (warm_up.steps > 0 && warm_up.share > 0) {
    return refuse(".warm_up.share", "left out where warm_up.steps is given", warm_up.share);
  }
  if (early_stopping.patience > 0 && !validation.HoldsOut()) {
    return refuse(".early_stopping.patience", "0 without validation rows: set validation.share",
                  early_stopping.patience);
  }
  if (mode != TrainMode::kServer && staleness.steps != 0) {
    return refuse(".staleness", "left out unless mode is \"server\"", ToJson(staleness));
  }
  PT_TRY(CheckContinues(continues, from, path + ".continues"));
  if (continues.empty() || !DependsOnSteps(*this)) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = "a training that is continued has no end, and its learning rate depends on it",
       .where = path + ".continues",
       .why = warm_up.share > 0
                  ? "the warm-up is a share of all steps"
                  : "the schedule \"" + schedule.name + "\" depends on the number of all steps",
       .fix = "take the schedule \"constant\" and warm_up.steps, or leave continues out"});
}

Choice TabularMlp(const TabularMlpOptions& options) { return MakeChoice("tabular_mlp", options); }
Choice TorchScript(const TorchScriptOptions& options) { return MakeChoice("torchscript", options); }
Choice WideAndDeep(const WideAndDeepOptions& options) {
  return MakeChoice("wide_and_deep", options);
}
Choice FactorizationMachine(const FactorizationMachineOptions& options) {
  return MakeChoice("factorization_machine", options);
}
Choice Dlrm(const DlrmOptions& options) { return MakeChoice("dlrm", options); }
Choice Tabm(const TabmOptions& options) { return MakeChoice("tabm", options); }
Choice FtTransformer(const FtTransformerOptions& options) {
  return MakeChoice("ft_transformer", options);
}
Choice Cnn(const CnnOptions& options) { return MakeChoice("cnn", options); }
Choice TextClassifier(const TextClassifierOptions& options) {
  return MakeChoice("text_classifier", options);
}
Choice Linear() { return {"linear"}; }

Choice Huber(const HuberOptions& options) { return MakeChoice("huber", options); }
Choice MeanSquaredError() { return {"mse"}; }
Choice MeanAbsoluteError() { return {"mae"}; }
Choice Poisson() { return {"poisson"}; }
Choice Tweedie(const TweedieOptions& options) { return MakeChoice("tweedie", options); }
Choice Quantile(const QuantileOptions& options) { return MakeChoice("quantile", options); }
Choice Lambdarank(const LambdarankOptions& options) { return MakeChoice("lambdarank", options); }
Choice BinaryCrossEntropy(const BinaryCrossEntropyOptions& options) {
  return MakeChoice("binary_cross_entropy", options);
}
Choice CrossEntropy(const CrossEntropyOptions& options) {
  return MakeChoice("cross_entropy", options);
}

Choice Adam(const AdamOptions& options) { return MakeChoice("adam", options); }
Choice AdamW(const AdamWOptions& options) { return MakeChoice("adamw", options); }
Choice Sgd(const SgdOptions& options) { return MakeChoice("sgd", options); }
Choice Adagrad(const AdagradOptions& options) { return MakeChoice("adagrad", options); }
Choice RowwiseAdagrad(const RowwiseAdagradOptions& options) {
  return MakeChoice("rowwise_adagrad", options);
}
Choice LazyAdam(const LazyAdamOptions& options) { return MakeChoice("lazy_adam", options); }
Choice Rmsprop(const RmspropOptions& options) { return MakeChoice("rmsprop", options); }

Choice ConstantRate() { return {"constant"}; }
Choice StepSchedule(const StepScheduleOptions& options) { return MakeChoice("step", options); }
Choice Cosine(const CosineOptions& options) { return MakeChoice("cosine", options); }
Choice OneCycle(const OneCycleOptions& options) { return MakeChoice("one_cycle", options); }
Choice ReduceOnPlateau(const ReduceOnPlateauOptions& options) {
  return MakeChoice("reduce_on_plateau", options);
}

}  // namespace protium
