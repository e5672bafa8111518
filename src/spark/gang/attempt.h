// SPDX-License-Identifier: Apache-2.0
// One attempt of a gang on Spark: one job whose barrier stage is its last.
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

struct GangAttempt {
  SparkCommand command;  // Without key; `events` is a folder of this attempt alone.
  // The job's relation for the command, rows included.
  std::function<Result<connect::Relation>(const SparkCommand& command)> relation;
  ExecuteOptions options;
  // What Spark observes of the relation under this name the ranks must have read, if they read all.
  std::string observed;
};

struct GangOutcome {
  AttemptResult result;
  arrow::RecordBatchVector batches;  // When it went well.
};

// Runs it to its end. Events of ranks go to `call` as they come, with {"event": "gang_start"} when
// all ranks have started. When the call is to stop, ranks get some time to end in good order.
GangOutcome RunGangAttempt(SparkSession& session, const GangAttempt& attempt, const Call& call);

}  // namespace protium
