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

// Runs what an earlier command has not run yet, reports TrialStarted and TrialEnded, and writes the
// table after each trial. Fails with the failure that ends the search (fit.h), or with the first
// trial's error if no trial has a value.
Result<TrialTable> RunTrials(const TrialsRequest& request);

}  // namespace protium
