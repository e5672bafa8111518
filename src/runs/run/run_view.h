// SPDX-License-Identifier: Apache-2.0
// Adds up a run's events.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/events.h"

namespace protium {

// The state of a run according to its events so far. Reads no clock, so a live run and a finished
// file give the same view.
struct RunView {
  void On(const Event& event);

  // Something beyond "start" and "pipeline" happened: there may be work worth keeping.
  bool began = false;
  int64_t step = 0;
  int64_t steps = 0;
  int64_t epoch = 0;
  int64_t epochs = 0;
  bool trees = false;  // Steps and epochs are rounds of trees.
  double loss = 0;
  bool epoch_ended = false;  // No step since the last epoch ended; then `loss` is its mean.
  double rows_per_second = 0;
  double wait_share = 0;
  int64_t checkpoint = -1;                              // Step of the newest one; -1: none.
  std::vector<std::pair<std::string, double>> metrics;  // Of the last validation.
  std::optional<GangPlaced> gang;                       // The newest.
  std::string ended;  // "done", "failed", "stopped"; empty while it runs, or if it was killed.

  // A run that restarts or resumes repeats steps and epochs; for each, the last report counts.
  std::map<double, double> loss_by_step;
  std::map<std::string, std::map<double, double>> validation;  // By metric, by epoch.
  std::vector<double> epoch_losses;                            // As trained; repeats included.
  std::vector<int64_t> restarts;                               // The last step before each.
};

RunView MakeRunView(const std::vector<Json>& events);

}  // namespace protium
