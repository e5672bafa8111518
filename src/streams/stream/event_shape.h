// SPDX-License-Identifier: Apache-2.0
// What the events of a stream are: their columns, and the SQL over them. Decided once, before the
// first batch.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "stream/stream_model.h"

namespace protium {

struct EventShape {
  std::string table;     // Their name in the SQL.
  std::string sql;       // Empty: none.
  bool own_sql = false;  // The SQL is the model's, and changes with it.
  // Null: only a first event can tell; `known` then has types of some columns, or is null.
  SchemaPtr columns;
  SchemaPtr known;
  Columns optional;      // Those that an event may lack: labels.
  Columns other_tables;  // What the model's SQL reads besides.
};

// [etl] of the job, else the SQL that the model was trained with if it reads the events' table,
// else none. Columns are those of the model's table of that name or, without SQL, those that the
// model reads, and those of stream.columns; without either those of a schema's file, or else they
// are unknown. `model` may be null.
Result<EventShape> ShapeOf(const JobFile& job, const LoadedModel* model);
// Of the other stream of stream.join, which has no SQL of its own.
Result<EventShape> ShapeOfOther(const JobFile& job);

// Reads the file that `source` names as the schema of its messages; `where` is the source's key.
Result<std::string> ReadSchemaFile(const JobFile& job, const StreamSourceOptions& source,
                                   const std::string& where);

}  // namespace protium
