// SPDX-License-Identifier: Apache-2.0
// Tasks over rows as relations of Spark Connect: MapPartitions with our command where Python's code
// would be. docs/spark-worker.md says what happens to it in an executor.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "connect/relations.h"
#include "spark_worker/command.h"

namespace protium {

// The relation of a task over rows with `columns`, for a server of Spark `version` ("4.2.1"). With
// a gang it is a barrier stage; `profile` is the resource profile of its tasks, if any.
Result<connect::Relation> MapOver(connect::Relation input, const arrow::Schema& columns,
                                  const SparkCommand& command, const std::string& version,
                                  std::optional<int32_t> profile);

// The same over rows in files: a stage of `world` partitions without input, each of which reads its
// share of the files; of a lease one task.
Result<connect::Relation> MapOverFiles(const SparkCommand& command, const std::string& version,
                                       std::optional<int32_t> profile);

}  // namespace protium
