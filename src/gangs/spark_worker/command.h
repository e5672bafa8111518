// SPDX-License-Identifier: Apache-2.0
// How a MapTask is sent to Spark's executors: the bytes of PythonUDF.command, which Spark passes to
// the worker unread. Driver and worker must have the same kCommandVersion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "column/source.h"
#include "protium/events.h"

namespace protium {

// Spark's logs show the first 8 bytes of a command: these, and nothing of what follows.
inline constexpr std::string_view kCommandMagic = "protium1";
inline constexpr int64_t kCommandVersion = 7;

// Rows that tasks read themselves, from files that an earlier job wrote.
struct RowFiles {
  SchemaPtr schema;
  // Parquet files, or objects: exactly those that were committed.
  std::vector<std::string> paths;
  // How many rows Spark reports to have written, in all files together.
  int64_t rows = 0;
  // RowSteps as JSON (plan/row_steps.h): how the task's rows are made from the files' rows.
  Json steps = Json::array();
};

// For a gang whose ranks are ordinary tasks, each in its own job (spark/gang/lease.h).
struct LeaseTerms {
  int32_t seat = 0;      // The number of the job and the task, unique.
  bool bends = false;    // Ranks may come and go while others train.
  double patience = 60;  // How many seconds longer than the deadline the driver may take to call.
  bool rebalances = false;
};

// Where tasks and their driver exchange files if they share no file system
// (spark_worker/task_transit.h).
struct RunInTransit {
  std::string place;  // On an object store.
  std::string root;   // The run folder, as the driver and all paths in the command name it.
};

// A task and all that a worker must know to run it.
struct SparkCommand {
  std::string task;  // MapTask::task, ::role and ::config.
  TaskRole role = TaskRole::kMap;
  bool torch = false;  // It runs in the LibTorch library.
  std::string config;
  std::vector<std::string> groups;  // MapTask::groups.
  // The result's schema as given to Spark; the worker checks every batch against it.
  SchemaPtr output;

  // The stage is a barrier stage of `world` partitions, and a rank is its partition; with `lease` a
  // stage of one task, which is sent its rank (spark_worker/lease_words.h).
  bool gang = false;
  std::optional<LeaseTerms> lease;
  // Without a gang: the number of partitions that share `rows`.
  int32_t world = 1;
  int32_t attempt = 0;
  // How many seconds a rank may keep the others waiting.
  double deadline = 60;
  // 32 random bytes shared by the ranks of this attempt, by which they recognise each other.
  // Secret; empty without a gang.
  std::string key;
  // Ranks on different hosts may connect without TLS.
  bool plaintext = false;

  // Unset: driver and executors both reach the run folder.
  std::optional<RunInTransit> transit;
  // A folder that driver and executors both reach (spark_worker/event_tail.h); empty: none.
  std::string events;
  // The same for rank-000.log, ...; empty: a rank writes to the executor's stderr.
  std::string log;
  // Unset: rows come through Spark.
  std::optional<RowFiles> rows;
};

// kCommandMagic, then a JSON object, the key, the output schema and, with rows, their schema; each
// preceded by its length as a 64-bit little-endian number. Schemas are Arrow IPC messages.
Result<std::string> EncodeCommand(const SparkCommand& command);
// The reverse. Bytes of another version are an error (kEnvironment) that names both versions.
Result<SparkCommand> DecodeCommand(std::string_view bytes);

// Returns a rank's log in the folder SparkCommand::log; empty without a folder.
std::string LogFile(const std::string& folder, int32_t rank);

}  // namespace protium
