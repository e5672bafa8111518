// SPDX-License-Identifier: Apache-2.0
// One training on the events of a stream: cuts them, trains in a process of its own, and judges the
// new model and the live one on the same held-out events.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "flow/options.h"
#include "stream/kept_events.h"
#include "stream/training_state.h"

namespace protium {

struct TrainingOrder {
  std::filesystem::path job;     // The job file that says how models are trained.
  std::string table;             // What the events are called in its SQL.
  std::string live_table;        // The same in the SQL of the live model; empty: it has none.
  bool sql = false;              // Whether the job has SQL.
  std::filesystem::path events;  // The folder of KeptEvents.
  std::filesystem::path folder;  // Its own, made anew.
  StreamTrainOptions options;
  TrainingBegun begun;
};

// Any thread. Ends soon after `stop` is requested, with its processes; what it returns then is of
// no use. Failures are in the result.
TrainingEnded Train(const TrainingOrder& order, const std::stop_token& stop);

}  // namespace protium
