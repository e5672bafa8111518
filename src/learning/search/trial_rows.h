// SPDX-License-Identifier: Apache-2.0
// A trial's row of the table from what its fits have come to.
#pragma once

#include <map>
#include <optional>

#include "search/ask.h"
#include "search/fit.h"
#include "search/folds.h"
#include "search/proposals.h"
#include "search/pruning.h"

namespace protium {

struct TrialRow {
  Trial trial;
  Status failed;  // Of a failed trial, why.
  Outcome outcome;
};

struct RowRequest {
  const SettledSearch& settled;
  const std::optional<Folds>& folds;
  int64_t number = 0;  // From 1.
  const AskedTrial& asked;
};

// A trial whose values do not fit together.
TrialRow RowOfRefused(const RowRequest& request);

// A trial that has a value from each fit, or one that failed. The first that did decides.
TrialRow RowOfFits(const RowRequest& request, const std::map<int32_t, FitResult>& results);

// A trial that was stopped; `seconds` is what its fits took.
TrialRow RowOfPruned(const RowRequest& request, const PrunedAt& at, double seconds);

}  // namespace protium
