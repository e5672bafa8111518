// SPDX-License-Identifier: Apache-2.0
// One attempt of a gang on Spark: one Spark job whose last stage is the gang's barrier stage.
//
// 1. Spark never runs a rank again within an attempt: a barrier stage whose rows are collected
//    directly (a ResultStage) fails with its first failing rank. Restarting is the driver's
//    (spark/gang/run.h).
// 2. Each attempt has a key and a folder of events of its own, so nothing of an earlier one is
//    taken for it.
// 3. The ranks' own words come before Spark's: Spark says only which task ended first.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gang/attempts.h"
#include "spark/connect/session.h"
#include "spark/gang/ranks_seen.h"
#include "spark/ship/command.h"
#include "spark/ship/event_tail.h"

namespace protium {

// What one attempt runs; outlives it.
struct GangAttempt {
  // The key is filled in here; `events` must be a folder of this attempt alone.
  SparkCommand command;
  // Builds the job's relation, rows included, for the command with its key.
  std::function<Result<connect::Relation>(const SparkCommand& command)> relation;
  ExecuteOptions options;
  // The name under which Spark observes the rows that it sends (RowSums); the ranks must have read
  // the same. Empty: the ranks read files and check these themselves.
  std::string observed;
};

// What became of an attempt.
struct GangOutcome {
  AttemptResult result;
  arrow::RecordBatchVector batches;  // What the ranks emitted, if it succeeded.
};

// Runs the attempt to its end and returns when the job has ended. Ranks' events go to `call` as
// they come, and {"event": "gang_start"} once all ranks have started; they come from a thread of
// its own. When the call is to stop, ranks have 30 s to end in good order, then the job is
// interrupted; at the call's deadline it is interrupted at once.
GangOutcome RunGangAttempt(SparkSession& session, const GangAttempt& attempt, const Call& call);

}  // namespace protium
