// SPDX-License-Identifier: Apache-2.0
// What the figures of an epoch decide: which weights are the best so far, whether the learning rate
// falls, and whether training is over. Every rank has the same figures and comes to the same
// verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "metrics/metrics.h"
#include "protium/training.h"
#include "train/checkpoint.h"

namespace protium {

// Without state of its own: what it decides stands in the CheckpointState. A value that is better
// is greater where the metric `best` says so; of other metrics the size counts, since some, as bias
// is, are best at 0.
class Verdict {
 public:
  // `train` outlives it. Its metric `best` is a built-in one or one of `own_metrics`.
  static Result<Verdict> Make(const TrainOptions& train,
                              const std::vector<MetricSpec>& own_metrics);

  // Makes this epoch's weights, which the checkpoint that follows keeps, the best so far if these
  // values of the metrics on the validation rows are.
  void Choose(const Json& values, CheckpointState& state) const;
  // Hands the epoch to reduce_on_plateau and early stopping: the metric `best`, or the loss where
  // nothing was validated. `entry` is the epoch's in the history. Gives what to tell a person where
  // early stopping ends the training before its last epoch.
  std::optional<std::string> Watch(const Json& entry, CheckpointState& state) const;
  bool IsOver(const CheckpointState& state) const;

 private:
  Verdict(const TrainOptions& train, bool higher_is_better,
          std::optional<ReduceOnPlateauOptions> plateau)
      : train_(&train), higher_is_better_(higher_is_better), plateau_(std::move(plateau)) {}

  const TrainOptions* train_;
  bool higher_is_better_;
  std::optional<ReduceOnPlateauOptions> plateau_;
};

}  // namespace protium
