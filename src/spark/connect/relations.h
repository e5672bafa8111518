// SPDX-License-Identifier: Apache-2.0
// What a Spark server is asked for, built from small pieces. Nothing here talks to a server.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "column/source.h"
#include "spark/connect/messages.h"

namespace protium::connect {

using proto::Command;
using proto::Relation;

struct NamedRelation {
  std::string name;
  Relation relation;
};

// A query in Spark's SQL, which may name the given relations as tables.
Relation Sql(std::string query, std::vector<NamedRelation> tables = {});

using Options = std::map<std::string, std::string>;

// Reads files that the cluster reaches. `schema`, when given, is not inferred again.
Result<Relation> Read(std::string format, std::vector<std::string> paths, const SchemaPtr& schema,
                      Options options);
Result<Relation> ReadParquet(std::vector<std::string> paths, const SchemaPtr& schema = nullptr);
// Header, delimiter and the text of nulls as in CsvOptions; malformed lines fail the read.
// Several tasks share a file only where its rows are lines.
Result<Relation> ReadCsv(std::vector<std::string> paths, const SchemaPtr& schema,
                         const CsvOptions& options, bool rows_are_lines = false);
// `read` with those columns of its schema that files lack from the names of the folders between
// `base` and each file: year=2013.
Relation WithFolders(Relation read, const std::string& base);
Relation Table(std::string name);

// Rows that travel inside of the plan. For larger ones see SparkSession::LocalTable.
Result<Relation> LocalTable(const SchemaPtr& schema, const arrow::RecordBatchVector& batches);

// One column `id` with begin ... end-1.
Relation Range(int64_t begin, int64_t end, int32_t partitions);

// Exactly `partitions` parts. With `shuffle` rows are spread over all of them, otherwise parts are
// joined.
Relation Repartition(Relation input, int32_t partitions, bool shuffle = true);

Relation SelectColumns(Relation input, const std::vector<std::string>& columns);
// Expressions in Spark's SQL, each with AS where it needs a name.
Relation Project(Relation input, const std::vector<std::string>& expressions);
Relation Filter(Relation input, const std::string& condition);
Relation Limit(Relation input, int32_t rows);

// Computes aggregates ("count(1) AS rows") over the rows that pass; they come with the result under
// `name` (ExecuteOptions::observed).
Relation Observe(Relation input, std::string name, const std::vector<std::string>& aggregates);

// Runs a worker's task over the input, once per partition, as MapInArrow does.
struct MapTaskSpec {
  std::string function_name;         // Shown in Spark's plans: no secrets.
  std::string command;               // Handed to the worker as it is.
  std::string version;               // The worker's field pythonVer; shown in plans.
  SchemaPtr output;                  // Rows must have exactly these columns.
  std::vector<std::string> columns;  // All of the input's columns.
  bool barrier = false;              // All partitions run at once, or none.
  std::optional<int32_t> profile_id;
};
Result<Relation> MapPartitions(Relation input, const MapTaskSpec& task);

enum class SaveMode { kFail, kReplace, kAppend };

struct WriteSpec {
  std::string format = "parquet";
  std::string path;   // Either a path
  std::string table;  // or a table's name.
  SaveMode mode = SaveMode::kFail;
  Options options;
};
Command Write(Relation input, const WriteSpec& spec);
Command CreateView(Relation input, std::string name);
Command SqlCommand(Relation sql);  // Runs what Sql() gave: statements have their effect at once.

// What one task takes. Without executors' needs it fits the executors that are there.
Command CreateProfile(double cpus, double gpus);

}  // namespace protium::connect
