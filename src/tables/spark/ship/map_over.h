// SPDX-License-Identifier: Apache-2.0
// Makes relations of Spark Connect that run tasks over rows: MapPartitions with our command where
// Python's code would be. docs/spark-worker.md describes what an executor does with it.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "connect/relations.h"
#include "spark_worker/command.h"

namespace protium {

// Returns the relation of a task over rows with `columns`, for a server of Spark `version`
// ("4.2.1"). With a gang it is a barrier stage; `profile` is the resource profile of its tasks, if
// any.
Result<connect::Relation> MapOver(connect::Relation input, const arrow::Schema& columns,
                                  const SparkCommand& command, const std::string& version,
                                  std::optional<int32_t> profile);

// The same over rows in files: a stage of `world` partitions without input, each of which reads its
// share of the files; for a lease, a stage of one task.
Result<connect::Relation> MapOverFiles(const SparkCommand& command, const std::string& version,
                                       std::optional<int32_t> profile);

}  // namespace protium
