// SPDX-License-Identifier: Apache-2.0
// Requests to a Spark server, built from small pieces: each function makes one message of
// connect/plan.proto around its input. Nothing here contacts a server; only the server checks names
// and expressions. A schema with a type that Spark lacks is a Fault (SparkType).
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "column/source.h"
#include "connect/messages.h"

namespace protium::connect {

using proto::Command;
using proto::Relation;

// A relation under the name by which SQL text refers to it.
struct NamedRelation {
  std::string name;
  Relation relation;
};

// A query in Spark's SQL, which may name the given relations as tables. `query` is one SELECT.
Relation Sql(std::string query, std::vector<NamedRelation> tables = {});

// A statement in Spark's SQL that is run for its effect; tables as above.
Command SqlCommand(std::string statement, std::vector<NamedRelation> tables = {});

using Options = std::map<std::string, std::string>;

// Reads files that the cluster can reach. With `schema` Spark infers nothing; without it, Spark
// reads files when the plan is analyzed.
Result<Relation> Read(std::string format, std::vector<std::string> paths, const SchemaPtr& schema,
                      Options options);
Result<Relation> ReadParquet(std::vector<std::string> paths, const SchemaPtr& schema = nullptr);
// Header, delimiter and the text of nulls are as in CsvOptions. A quote within quotes is doubled,
// and malformed lines fail the read (FAILFAST). `rows_are_lines` promises that no value holds a
// line break: only then may several tasks share one file.
Result<Relation> ReadCsv(std::vector<std::string> paths, const SchemaPtr& schema,
                         const CsvOptions& options, bool rows_are_lines = false);
// Reads JSON lines; malformed ones fail the read (FAILFAST).
Result<Relation> ReadJsonLines(std::vector<std::string> paths, const SchemaPtr& schema);
// Returns `read` with columns of its schema that the files lack taken from the names of the folders
// between `base` and each file: year=2013.
Relation WithFolders(Relation read, const std::string& base);
// A table or view that the server knows by this name; may be qualified.
Relation Table(std::string name);

// Rows that travel inside the plan. For larger ones use SparkSession::LocalTable.
Result<Relation> LocalTable(const SchemaPtr& schema, const arrow::RecordBatchVector& batches);

// One column `id` with begin ... end-1, in `partitions` parts.
Relation Range(int64_t begin, int64_t end, int32_t partitions);

// Makes exactly `partitions` partitions. With `shuffle`, rows are spread evenly over all of them;
// without it, partitions are merged, so that there may be fewer.
Relation Repartition(Relation input, int32_t partitions, bool shuffle = true);

// Selects columns by their exact names.
Relation SelectColumns(Relation input, const std::vector<std::string>& columns);
// Computes expressions in Spark's SQL, each with AS if the result needs a name.
Relation Project(Relation input, const std::vector<std::string>& expressions);
// Filters by a condition in Spark's SQL.
Relation Filter(Relation input, const std::string& condition);
Relation Limit(Relation input, int32_t rows);

// Computes aggregates ("count(1) AS rows") over the rows that pass; they come with the result under
// `name` (ExecuteOptions::observed).
Relation Observe(Relation input, std::string name, const std::vector<std::string>& aggregates);

// Runs a worker's task over the input, once per partition: what PySpark sends for mapInArrow.
struct MapTaskSpec {
  // Shown in Spark's plans and logs: no secrets.
  std::string function_name;
  // Bytes passed to the worker unchanged; Spark's logs cut them to 8 bytes.
  std::string command;
  // The worker's field pythonVer; shown in plans too: no secrets.
  std::string version;
  // Rows must have exactly these columns.
  SchemaPtr output;
  // All of the input's columns, sent as arguments so that Spark has no reason to prune any.
  std::vector<std::string> columns;
  // All partitions run at the same time, or none does.
  bool barrier = false;
  // From CreateProfile; empty: the default profile.
  std::optional<int32_t> profile_id;
};
Result<Relation> MapPartitions(Relation input, const MapTaskSpec& task);

// What happens if the target exists.
enum class SaveMode { kFail, kReplace, kAppend };

// Either `path` or `table` is set.
struct WriteSpec {
  std::string format = "parquet";
  std::string path;
  std::string table;
  SaveMode mode = SaveMode::kFail;
  Options options;
};
Command Write(Relation input, const WriteSpec& spec);
// Creates a temporary view of this session; replaces one with the same name.
Command CreateView(Relation input, std::string name);

// For one executor. 0: as the server's settings say; for GPUs: none.
struct ExecutorResources {
  int32_t cores = 0;
  int64_t memory_mib = 0;
  int32_t gpus = 0;
  std::string discovery;  // The script by which it finds its GPUs.
};

// A resource profile: what one task takes and, if `executor` is set, what the executors started for
// it have. For these Spark requires dynamic allocation, which barrier stages refuse; without them
// the profile fits the existing executors. CommandResult::profile_id is its id.
struct ProfileSpec {
  double task_cpus = 1;
  double task_gpus = 0;
  ExecutorResources executor;
};
Command CreateProfile(const ProfileSpec& spec);

}  // namespace protium::connect
