// SPDX-License-Identifier: Apache-2.0
// Runs the trials of a settled search.
//
// 1. A trial is one fit, or one for each fold; fits start in the order of trials and folds, several
//    at a time, and end in any order.
// 2. The results do not depend on how many run at the same time: each has its own rows, folder and
//    session, and trials are compared by number.
// 3. The first fold that fails or is pruned decides a trial; no later fold is started.
// 4. What is reported on the way is judged by pruning.h, whose verdicts do not depend on when it
//    came; a trial that has ended waits for its verdict.
// 5. Where a target or the patience ends the search (end_rule.h), trials of higher numbers that
//    have begun are stopped, and none of them is in the table.
#pragma once

#include <optional>

#include "search/folds.h"
#include "search/settle.h"
#include "search/trials.h"

namespace protium {

struct TrialsRequest {
  const Search& search;
  const SettledSearch& settled;
  DataFrame train;
  std::optional<Folds> folds;
  bool same_files = false;  // The run of the known trials has read what this one reads.
};

struct TrialsRun {
  TrialTable table;
  std::string ended_by;  // "seconds", "target" or "patience"; empty: there are all trials.
};

// Runs what an earlier command has not run yet, reports TrialStarted and TrialEnded, and writes the
// table after each trial. Fails with the failure that ends the search (fit.h), or with the first
// trial's error if no trial has a value, or names the nearest if none keeps what is required.
Result<TrialsRun> RunTrials(const TrialsRequest& request);

}  // namespace protium
