// SPDX-License-Identifier: Apache-2.0
// What the metrics of an epoch decide: which weights are the best so far, whether the learning rate
// falls, and whether training is over. Every rank has the same metrics and reaches the same
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

// Has no state of its own: its decisions are stored in the CheckpointState. A better value is a
// greater one where the metric `best` says so; otherwise one of smaller size, since some metrics,
// such as bias, are best at 0.
class Verdict {
 public:
  // `train` must outlive it. Its metric `best` is a built-in one or one of `own_metrics`.
  static Result<Verdict> Make(const TrainOptions& train,
                              const std::vector<MetricSpec>& own_metrics);

  // Makes this epoch's weights, which the next checkpoint stores, the best so far if these values
  // of the metrics on the validation rows are the best.
  void Choose(const Json& values, CheckpointState& state) const;
  // Passes the epoch to reduce_on_plateau and early stopping: the metric `best`, or the loss if
  // nothing was validated. `entry` is the epoch's in the history. Returns a message for people if
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
