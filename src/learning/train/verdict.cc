// SPDX-License-Identifier: Apache-2.0
#include "train/verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "train/plateau.h"

namespace protium {

Result<Verdict> Verdict::Make(const TrainOptions& train,
                              const std::vector<MetricSpec>& own_metrics) {
  PT_LET(const MetricSpec best, FindMetric(train.best, own_metrics));
  PT_LET(auto plateau, PlateauOptions(train));
  return Verdict(train, best.higher_is_better, std::move(plateau));
}

void Verdict::Choose(const Json& values, CheckpointState& state) const {
  const Json chosen = values.value(train_->best, Json());
  if (!chosen.is_number()) return;
  const double given = chosen.get<double>();
  const double value = higher_is_better_ ? given : std::fabs(given);
  const bool better = higher_is_better_ ? value > state.best.value : value < state.best.value;
  if (state.best.epoch > 0 && !better) return;
  state.best = {.epoch = state.epoch,
                .step = state.step,
                .value = value,
                .metrics = values,
                .file = CheckpointFolder::BestFile(state.step)};
}

std::optional<std::string> Verdict::Watch(const Json& entry, CheckpointState& state) const {
  const bool validated = entry.contains("validation");
  const Json value = validated ? entry["validation"].value(train_->best, Json()) : entry["loss"];
  EpochValue epoch{.higher_is_better = validated && higher_is_better_};
  if (value.is_number()) {
    const double given = value.get<double>();
    // A loss may be negative, which is better.
    epoch.value = validated && !higher_is_better_ ? std::fabs(given) : given;
  }
  if (plateau_) WatchPlateau(*plateau_, epoch, state.plateau);
  WatchStopping(train_->early_stopping, epoch, state.stopping);
  if (!protium::IsOver(train_->early_stopping, state.stopping) || state.epoch == train_->epochs) {
    return std::nullopt;
  }
  return fmt::format("training ends after epoch {} of {}: {} did not improve for {} epochs",
                     state.epoch, train_->epochs, validated ? train_->best : "the training loss",
                     state.stopping.waited);
}

bool Verdict::IsOver(const CheckpointState& state) const {
  return state.epoch >= train_->epochs || protium::IsOver(train_->early_stopping, state.stopping);
}

}  // namespace protium
