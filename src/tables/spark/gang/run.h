// SPDX-License-Identifier: Apache-2.0
// A gang on Spark, from the check that it fits to its result:
// 1. The gang is admitted: it fits the idle cluster, the session starts this program for its tasks,
//    and a resource profile asks for each rank's cores and devices.
// 2. Its rows are made, and written to files unless they are few enough to stream.
// 3. Attempts run, as a barrier stage (spark/gang/attempt.h), or as a lease of ordinary tasks if
//    workers may come and go (spark/gang/lease.h), until one succeeds or the restart rule ends
//    them. All read the same rows; an attempt that only lacked the program on an executor is not
//    counted.
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
  std::filesystem::path logs;  // Folder of the ranks' logs; empty: none are stored.
  ExecuteOptions options;
};

// The rows that a gang works on; `table` has the columns that the task sees.
struct GangInput {
  SparkTable table;
  // An upper bound of their number; -1: unknown.
  int64_t rows_below = -1;
  // Files that exist already, with the steps that make the rows from them.
  std::optional<WrittenRows> files;
};

// Runs `task` as a gang and returns what the ranks emitted. A gang that can never fit is refused
// before `make_input` is called, which may run jobs to make the rows. The restart rule
// (gang/attempts.h) limits the number of attempts.
Result<arrow::RecordBatchVector> RunGang(const GangEngine& engine, const MapTask& task,
                                         const std::function<Result<GangInput>()>& make_input,
                                         const Call& call);

}  // namespace protium
