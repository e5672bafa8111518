// SPDX-License-Identifier: Apache-2.0
// Watches whether training still improves, epoch by epoch, for reduce_on_plateau and for early
// stopping. Each stores a Plateau in the checkpoint, so a resumed run waits no longer than an
// uninterrupted one. Every rank computes it from the same values, so all reach the same decision.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "protium/training.h"

namespace protium {

struct Plateau {
  bool begun = false;  // `best` has a value.
  double best = 0;
  int64_t waited = 0;   // Epochs since the best, or since the last drop.
  int64_t resting = 0;  // Epochs of the cooldown that remain; they do not count.
  double rate = 1;      // Product of all drops; multiplies the learning rate.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("begun", begun);
    visit("best", best);
    visit("waited", waited);
    visit("resting", resting);
    visit("rate", rate);
  }
};

// The result of an epoch: the metric `best` on the validation rows, or the training loss if there
// are none. nullopt if it is not a number, which never counts as better.
struct EpochValue {
  std::optional<double> value;
  bool higher_is_better = false;
};

// reduce_on_plateau after an epoch, as torch.optim.lr_scheduler.ReduceLROnPlateau with its relative
// threshold: an epoch is better when it beats best * (1 - least), or best * (1 + least) where
// higher is better.
void WatchPlateau(const ReduceOnPlateauOptions& options, const EpochValue& epoch, Plateau& state);

// Applies early stopping after an epoch (`least` is absolute here); IsOver() returns whether
// training is over, which it never is with patience 0.
void WatchStopping(const EarlyStoppingOptions& options, const EpochValue& epoch, Plateau& state);
bool IsOver(const EarlyStoppingOptions& options, const Plateau& state);

// Returns the options of train.schedule, or nullopt if it is not reduce_on_plateau.
Result<std::optional<ReduceOnPlateauOptions>> PlateauOptions(const TrainOptions& train);

}  // namespace protium
