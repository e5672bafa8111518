// SPDX-License-Identifier: Apache-2.0
// Tasks over rows as relations of Spark Connect: MapPartitions with our command in the place of
// Python code. docs/spark-worker.md tells what becomes of it in an executor.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "spark/connect/relations.h"
#include "spark/ship/command.h"

namespace protium {

// The relation of a task over rows with `columns`, for Spark's `version`. With a gang it is a
// barrier stage; `profile` is that of the resources its tasks ask for.
Result<connect::Relation> MapOver(connect::Relation input, const arrow::Schema& columns,
                                  const SparkCommand& command, const std::string& version,
                                  std::optional<int32_t> profile);

// The same over rows in files, which as many partitions as the command's `world` read themselves.
Result<connect::Relation> MapOverFiles(const SparkCommand& command, const std::string& version,
                                       std::optional<int32_t> profile);

}  // namespace protium
