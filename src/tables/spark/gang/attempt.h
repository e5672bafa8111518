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

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "connect/session.h"
#include "gang/attempts.h"
#include "protium/events.h"
#include "spark/gang/ranks_seen.h"
#include "spark_worker/command.h"
#include "spark_worker/event_tail.h"

namespace protium {

// The driver shows that it lives so often; ranks wait 15 times as long (spark_worker/task_watch.h).
inline constexpr std::chrono::seconds kSignTime{1};
// A rank may have to write a checkpoint before it can stop.
inline constexpr std::chrono::seconds kStopTime{30};
// Ranks that lost a peer say so at about the time at which Spark reports the failure, but through
// files; Spark kills them some seconds later.
inline constexpr std::chrono::milliseconds kLastWords{700};

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
  bool replaces_hung = true;  // GangSpec::replace_hung.
  // Of a lease: sends executors the program that a job failed for lack of.
  std::function<Status(const Status& failure)> send_missing;
};

// The attempt's command with a new key, by which its ranks prove themselves to each other
// (tcp/candidate.h), and with its folder of events made.
Result<SparkCommand> OpenAttempt(const GangAttempt& attempt);

// What became of an attempt.
struct GangOutcome {
  AttemptResult result;
  arrow::RecordBatchVector batches;  // What the ranks emitted, if it succeeded.
};

// Runs the attempt to its end and returns when the job has ended. Ranks' events go to `call` as
// they come, and GangPlaced once all ranks have started; they come from a thread of
// its own. When the call is to stop, ranks have 30 s to end in good order, then the job is
// interrupted; at the call's deadline it is interrupted at once.
GangOutcome RunGangAttempt(SparkSession& session, const GangAttempt& attempt, const Call& call);

}  // namespace protium
