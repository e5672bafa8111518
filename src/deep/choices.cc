// SPDX-License-Identifier: Apache-2.0
#include "deep/choices.h"

#include <string>
#include <utility>
#include <vector>

#include "base/unknown_name.h"

namespace protium {
namespace {

template <class Options>
Result<Options> ParseOptions(const Choice& choice, const char* where) {
  Options options;
  PT_TRY(FieldsFromJson(choice.options, where, options));
  return options;
}

using LossMaker = Result<Loss> (*)(const Choice& loss, const Objective& objective);
constexpr std::pair<const char*, LossMaker> kLosses[] = {
    {"mse", [](const Choice&, const Objective&) -> Result<Loss> { return SquaredLoss(); }},
    {"mae", [](const Choice&, const Objective&) -> Result<Loss> { return AbsoluteLoss(); }},
    {"huber",
     [](const Choice& loss, const Objective&) -> Result<Loss> {
       PT_LET(const auto options, ParseOptions<HuberOptions>(loss, "loss"));
       return HuberLoss(options.delta);
     }},
    {"poisson", [](const Choice&, const Objective&) -> Result<Loss> { return PoissonLoss(); }},
    {"binary_cross_entropy",
     [](const Choice& loss, const Objective&) -> Result<Loss> {
       PT_LET(const auto options, ParseOptions<BinaryCrossEntropyOptions>(loss, "loss"));
       return BinaryCrossEntropyLoss(options.positive_weight);
     }},
    {"cross_entropy", [](const Choice& loss, const Objective& objective) -> Result<Loss> {
       PT_LET(const auto options, ParseOptions<CrossEntropyOptions>(loss, "loss"));
       return CrossEntropyLoss(objective.class_weights, options.label_smoothing);
     }}};

}  // namespace

Result<Loss> MakeLoss(const Choice& loss, const Objective& objective) {
  std::vector<std::string> known;
  for (const auto& [name, make] : kLosses) {
    if (loss.name == name) return make(loss, objective);
    known.emplace_back(name);
  }
  return UnknownName("loss", loss.name, known, "loss");
}

Result<OptimizerSpec> ParseOptimizer(const Choice& optimizer) {
  if (optimizer.name == "adam") {
    AdamOptions o;
    PT_TRY(FieldsFromJson(optimizer.options, "train.optimizer", o));
    return OptimizerSpec{.kind = OptimizerKind::kAdam,
                         .learning_rate = o.learning_rate,
                         .weight_decay = o.weight_decay,
                         .beta1 = o.beta1,
                         .beta2 = o.beta2,
                         .epsilon = o.epsilon};
  }
  if (optimizer.name == "sgd") {
    SgdOptions o;
    PT_TRY(FieldsFromJson(optimizer.options, "train.optimizer", o));
    return OptimizerSpec{.kind = OptimizerKind::kSgd,
                         .learning_rate = o.learning_rate,
                         .weight_decay = o.weight_decay,
                         .momentum = o.momentum};
  }
  const std::vector<std::string> known = {"adam", "sgd"};
  return UnknownName("optimizer", optimizer.name, known, "optimizer");
}

}  // namespace protium
