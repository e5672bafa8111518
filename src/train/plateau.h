// SPDX-License-Identifier: Apache-2.0
// Waiting for training to get better, epoch by epoch: what reduce_on_plateau and early stopping
// know beyond the step. It stands in checkpoints, and every rank comes to the same.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "recipe/training.h"

namespace protium {

struct Plateau {
  bool begun = false;
  double best = 0;
  int64_t waited = 0;   // Epochs since the best, or since the last drop.
  int64_t resting = 0;  // Epochs left that do not count.
  double rate = 1;      // What drops have made of the learning rate.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("begun", begun);
    visit("best", best);
    visit("waited", waited);
    visit("resting", resting);
    visit("rate", rate);
  }
};

// What an epoch gave: the metric `best` on the validation rows, without any the loss; nullopt where
// it is not a number, which is never better.
struct EpochValue {
  std::optional<double> value;
  bool higher_is_better = false;
};

// reduce_on_plateau after an epoch, as ReduceLROnPlateau of PyTorch with a relative threshold.
void WatchPlateau(const ReduceOnPlateauOptions& options, const EpochValue& epoch, Plateau& state);

// Early stopping after an epoch: whether training is over.
void WatchStopping(const EarlyStoppingOptions& options, const EpochValue& epoch, Plateau& state);
bool IsOver(const EarlyStoppingOptions& options, const Plateau& state);

// The options of train.schedule where it is reduce_on_plateau.
Result<std::optional<ReduceOnPlateauOptions>> PlateauOptions(const TrainOptions& train);

}  // namespace protium
