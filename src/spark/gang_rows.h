// SPDX-License-Identifier: Apache-2.0
// A gang on Spark from its admission to its result.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "spark/deployment.h"
#include "spark/gang_attempt.h"
#include "spark/slots.h"
#include "spark/spark_tables.h"

namespace protium {

// The relation of a task over rows, for Spark's `version`. With a gang a barrier stage.
Result<connect::Relation> MapOver(connect::Relation input, const arrow::Schema& columns,
                                  const SparkCommand& command, const std::string& version,
                                  std::optional<int32_t> profile);

// The same over rows in files, which as many partitions as the command's `world` read themselves.
Result<connect::Relation> MapOverFiles(const SparkCommand& command, const std::string& version,
                                       std::optional<int32_t> profile);

// The way that `rows` (-1: unknown) rows of `columns` columns take.
RowsBy ChooseRowsBy(RowsBy wanted, int64_t rows, int columns);

// Members are what it works with; calls come in this order.
struct GangRows {
  SparkSession& session;
  Deployment& deployment;
  JobFolder& folder;
  const SparkSettings& settings;
  std::filesystem::path logs;
  ExecuteOptions options;

  // Refuses a gang that can never fit, before any data is read.
  Status Admit(const MapTask& task, const Call& call);
  // Makes the rows ready for all attempts. `kept` is null unless they can be made of files that
  // are there already.
  Status Gather(const SparkTable& table, int64_t rows_below, const WrittenRows* kept,
                const Call& call);
  // Runs attempts by the gang's restart rule.
  Result<arrow::RecordBatchVector> Run(const MapTask& task, const Call& call);

  std::optional<int32_t> profile = {};
  std::optional<WrittenRows> files = {};  // Unset: `table` is streamed.
  SparkTable table = {};

 private:
  GangOutcome Attempt(const MapTask& task, int32_t attempt, const Call& call);
};

}  // namespace protium
