// SPDX-License-Identifier: Apache-2.0
// One fit of a trial: the pipeline learns from some rows, in its own folder and session, and is
// measured on others. The result is stored in the folder, so that a fit is done only once.
//   fit.json      what is fitted here
//   result.json   the result, which may be a failure; the fit is over when this file exists
//   events.jsonl, stages.json, and while it trains its checkpoints
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "frame/session_state.h"
#include "pipeline/estimator_options.h"
#include "protium/search.h"

namespace protium {

struct FitRequest {
  Pipeline pipeline;  // Without further settings.
  EstimatorOptions estimator;
  Plan learning;
  Plan held_out;  // Null: the metric is measured on the estimator's own validation rows.
  std::string metric;
  std::vector<std::string> also;  // What the result must have beside it.
  std::filesystem::path folder;
  std::filesystem::path earlier;  // The folder of a fit of another run; empty: none is known.
  // The folder of the fit whose checkpoint this one goes on from, if it is still there; empty: it
  // begins anew, to the same weights.
  std::filesystem::path parent;
  bool keeps_checkpoints = false;  // Others may go on from them.
  std::filesystem::path learned;   // What stages learned, for fits whose stages learn the same.
  int64_t rows_memory_bytes = 0;
  SharedRowsFolder shared_rows;  // Likewise, for the packed rows.
  // Called after each epoch or round, from 1 on, with the metric on the validation rows; on any
  // thread, one call at a time. Again from 1 on for a fit that continues or is over already. Empty:
  // nobody follows.
  std::function<void(int64_t step, double value)> follow;
  std::stop_token prune;  // Ends the fit where it is.
  std::stop_token drop;   // Likewise, as a stop of the search would: it has no result.
};

struct FitResult {
  std::optional<double> value;  // None if it failed.
  int64_t best_epoch = 0;       // 0 without validation rows.
  double seconds = 0;
  Json error = Json::object();     // As StatusToJson() returns it; {} if it did not fail.
  bool pruned = false;             // It was asked to end.
  Json curve = Json::array();      // The metric on the validation rows by step, null for NaN.
  Json measured = Json::object();  // All metrics of the held-out rows, and those of the clock.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("value", value);
    visit("best_epoch", best_epoch);
    visit("seconds", seconds);
    visit("error", error);
    visit("pruned", pruned);
    visit("curve", curve);
    visit("measured", measured);
  }
};

// Fits and measures, or reads the result of an earlier command of this run, or copies that of
// `earlier` if it is the result of the same fit of the same plan. A failure that the next fit would
// also meet ends the search and is returned as a status: a stop by the user, a full disk, a fault
// of the machine, a bug. Any other failure belongs to the trial and is part of the result. A fit
// that is asked to end is stored as pruned, however it ends. Thread-safe: only the engine of
// `parent` is used.
Result<FitResult> RunFit(Session& parent, const FitRequest& request);

// Removes the checkpoints that the fit in `folder` has kept.
void DropCheckpoints(const std::filesystem::path& folder);

}  // namespace protium
