// SPDX-License-Identifier: Apache-2.0
// A gang on Spark from its admission to its result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "spark/ship/deployment.h"
#include "spark/ship/tables.h"

namespace protium {

// What a gang uses of the engine that runs it; all of it outlives the gang.
struct GangEngine {
  SparkSession& session;
  Deployment& deployment;
  JobFolder& folder;  // For files between the driver and the executors.
  const SparkSettings& settings;
  std::filesystem::path logs;  // Of the ranks; empty: none are kept.
  ExecuteOptions options;
};

// The rows that a gang works on.
struct GangInput {
  SparkTable table;
  int64_t rows_below = -1;           // The most there can be; -1: not known.
  std::optional<WrittenRows> files;  // Files that are there already and that they can be made of.
};

// Runs `task` by its gang and gives what the ranks emitted. A gang that can never fit is refused
// before `make_input` is called, which may run jobs to make the rows. Every attempt reads the same
// rows; how many there may be is the gang's restart rule (gang/attempts.h).
Result<arrow::RecordBatchVector> RunGang(const GangEngine& engine, const MapTask& task,
                                         const std::function<Result<GangInput>()>& make_input,
                                         const Call& call);

}  // namespace protium
