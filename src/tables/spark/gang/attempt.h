// SPDX-License-Identifier: Apache-2.0
// One attempt of a gang on Spark: one Spark job whose last stage is the gang's barrier stage.
//
// 1. Spark never reruns a rank within an attempt: a barrier stage whose rows are collected directly
//    (a ResultStage) fails with its first failing rank. The driver does the restarting
//    (spark/gang/run.h).
// 2. Each attempt has its own key and events folder, so nothing is mistaken for an earlier
//    attempt's.
// 3. The ranks' own messages take precedence over Spark's: Spark only reports which task ended
//    first.
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
#include "transit/transit_folder.h"

namespace protium {

// How often the driver signals that it lives; ranks wait 15 times as long
// (spark_worker/task_watch.h).
inline constexpr std::chrono::seconds kSignTime{1};
// A rank may have to write a checkpoint before it can stop.
inline constexpr std::chrono::seconds kStopTime{30};
// Ranks that lost a peer report it at about the time at which Spark reports the failure, but
// through files; Spark kills them some seconds later.
inline constexpr std::chrono::milliseconds kLastWords{700};
// The same if these come through an object store.
inline constexpr std::chrono::seconds kLastWordsInTransit{5};

// What one attempt runs; outlives it.
struct GangAttempt {
  // The key is filled in here; `events` must be a folder used by this attempt alone.
  SparkCommand command;
  // Builds the job's relation, including its rows, for the command with its key.
  std::function<Result<connect::Relation>(const SparkCommand& command)> relation;
  ExecuteOptions options;
  // The name under which Spark observes the rows that it sends (RowSums); the ranks must have read
  // the same rows. Empty: the ranks read files and check the rows themselves.
  std::string observed;
  // If executors do not reach the folder of events: how the ranks' files come here.
  std::shared_ptr<TransitFolder> meeting = nullptr;
  bool replaces_hung = true;  // GangSpec::replace_hung.
  // For a lease: sends the program to executors that lacked it when a job failed.
  std::function<Status(const Status& failure)> send_missing;
};

// Returns the attempt's command with a new key, with which its ranks authenticate to each other
// (tcp/candidate.h), after creating its events folder. Its meeting, if it has one, has sent what
// the ranks need, and goes on by itself.
Result<SparkCommand> OpenAttempt(const GangAttempt& attempt);

// The result of an attempt.
struct GangOutcome {
  AttemptResult result;
  arrow::RecordBatchVector batches;  // What the ranks emitted, if it succeeded.
};

// Runs the attempt to its end and returns when the job has ended. Passes ranks' events to `call` as
// they arrive, and GangPlaced as soon as all ranks have started, from a separate thread. When the
// call is to stop, ranks have 30 s to end cleanly, then the job is interrupted; at the call's
// deadline it is interrupted at once.
GangOutcome RunGangAttempt(SparkSession& session, const GangAttempt& attempt, const Call& call);

}  // namespace protium
