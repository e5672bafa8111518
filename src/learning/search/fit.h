// SPDX-License-Identifier: Apache-2.0
// One fit of a trial: the pipeline learns from some rows, in a folder and a session of its own, and
// is measured on others. What came of it stays in the folder, so that it is done once.
//   fit.json      what is fitted here
//   result.json   what came of it, a failure included; once it is there the fit is over
//   events.jsonl, stages.json, and while it trains its checkpoints
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "frame/session_state.h"
#include "pipeline/estimator_options.h"
#include "protium/search.h"

namespace protium {

struct FitRequest {
  Pipeline pipeline;  // Without further settings.
  EstimatorOptions estimator;
  Plan learning;
  Plan held_out;  // Null: the metric is that of the estimator's own validation rows.
  std::string metric;
  std::filesystem::path folder;
  std::filesystem::path learned;  // Of what stages learned, for fits whose stages learn the same.
  int64_t rows_memory_bytes = 0;
  SharedRowsFolder shared_rows;  // Likewise, of the packed rows.
};

struct FitResult {
  std::optional<double> value;  // None if it failed.
  int64_t best_epoch = 0;       // 0 without validation rows.
  double seconds = 0;
  Json error = Json::object();  // Of StatusToJson(); {} if it did not fail.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("value", value);
    visit("best_epoch", best_epoch);
    visit("seconds", seconds);
    visit("error", error);
  }
};

// Fits and measures, or reads what an earlier command of this run has found. A failure that would
// meet the next fit as well ends the search and is returned as a status: the user's stop, a full
// disk, the machine, a bug; any other belongs to the trial and is part of the result. Thread-safe:
// `parent` lends its engine only.
Result<FitResult> RunFit(Session& parent, const FitRequest& request);

}  // namespace protium
