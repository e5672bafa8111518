// SPDX-License-Identifier: Apache-2.0
// What a MapTask is on its way to Spark's executors: the bytes of PythonUDF.command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "column/source.h"

namespace protium {

// Spark shows the first 8 bytes of a command in its logs: these, and nothing of what follows.
inline constexpr std::string_view kCommandMagic = "protium1";
inline constexpr int64_t kCommandVersion = 3;

// Rows that ranks read themselves, from files that an earlier job wrote.
struct RowFiles {
  SchemaPtr schema;
  std::vector<std::string> paths;  // Parquet; all that were committed and nothing else.
  int64_t rows = 0;                // What Spark says it wrote, in all files.
  Json steps = Json::array();      // What RowSteps make of them before the task gets them.
};

struct SparkCommand {
  std::string task;  // MapTask::task, config.
  std::string config;
  SchemaPtr output;  // Declared to Spark; checked by the worker, batch by batch.

  bool gang = false;  // The stage is a barrier stage of `world` partitions; rank = partition.
  int32_t world = 1;  // Also the partitions that share `rows` without a gang.
  int32_t attempt = 0;
  double deadline = 60;    // Seconds a rank may keep the others waiting.
  std::string key;         // 32 random bytes that the ranks of this attempt share.
  bool plaintext = false;  // Between hosts without TLS.

  std::string events;            // A folder that driver and executors reach; empty: none.
  std::string log;               // The same for rank-000.log, ...; empty: the executor's stderr.
  std::optional<RowFiles> rows;  // Unset: rows come through Spark.
};

// kCommandMagic, then a JSON object, the key, the output schema and, with rows, theirs; each after
// its length as 64-bit little-endian number.
Result<std::string> EncodeCommand(const SparkCommand& command);
// Bytes of another version are refused with both versions named.
Result<SparkCommand> DecodeCommand(std::string_view bytes);

}  // namespace protium
