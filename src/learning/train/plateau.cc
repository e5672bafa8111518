// SPDX-License-Identifier: Apache-2.0
#include "train/plateau.h"

#include <algorithm>

namespace protium {
namespace {

// Whether the epoch beats `bar`, or is the first; if so, it becomes the best.
bool GetsBetter(const EpochValue& epoch, double bar, Plateau& state) {
  if (!epoch.value) return false;
  const bool better = epoch.higher_is_better ? *epoch.value > bar : *epoch.value < bar;
  if (state.begun && !better) return false;
  state.begun = true;
  state.best = *epoch.value;
  state.waited = 0;
  return true;
}

}  // namespace

void WatchPlateau(const ReduceOnPlateauOptions& options, const EpochValue& epoch, Plateau& state) {
  const double bar = state.best * (epoch.higher_is_better ? 1 + options.least : 1 - options.least);
  if (!GetsBetter(epoch, bar, state)) ++state.waited;
  // In PyTorch's order: an epoch of the cooldown may set the best, but never counts as waited.
  if (state.resting > 0) {
    --state.resting;
    state.waited = 0;
  }
  if (state.waited <= options.patience) return;
  state.rate = std::max(state.rate * options.factor, options.final);
  state.resting = options.cooldown;
  state.waited = 0;
}

void WatchStopping(const EarlyStoppingOptions& options, const EpochValue& epoch, Plateau& state) {
  const double bar = state.best + (epoch.higher_is_better ? options.least : -options.least);
  if (!GetsBetter(epoch, bar, state)) ++state.waited;
}

bool IsOver(const EarlyStoppingOptions& options, const Plateau& state) {
  return options.patience > 0 && state.waited >= options.patience;
}

Result<std::optional<ReduceOnPlateauOptions>> PlateauOptions(const TrainOptions& train) {
  if (train.schedule.name != "reduce_on_plateau") return std::optional<ReduceOnPlateauOptions>();
  ReduceOnPlateauOptions options;
  PT_TRY(FieldsFromJson(train.schedule.options, "train.schedule", options));
  return std::optional(options);
}

}  // namespace protium
