// SPDX-License-Identifier: Apache-2.0
// Types of columns in their three spellings: Arrow's, Spark's DDL text, and Spark Connect's
// messages.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "column/source.h"
#include "connect/messages.h"

namespace protium::connect {

// Returns the type in Spark's DDL: "BIGINT", "DECIMAL(10,2)", "ARRAY<STRING>", "STRUCT<`a`: INT NOT
// NULL>". A type that Spark does not have (unsigned integers, timestamps other than in microseconds
// ...) is a Fault of exit kUsage that names it.
Result<std::string> SparkType(const arrow::DataType& type);

// Returns the columns of a schema: "`a` INT NOT NULL, `b` STRING".
Result<std::string> SparkDdl(const arrow::Schema& schema);

// Returns the type of the Arrow columns that Spark sends for its own type. Timestamps with a zone
// get `zone`, the session's. A type that our tables do not support (interval, variant ...) is a
// Fault of exit kUsage that names it.
Result<std::shared_ptr<arrow::DataType>> ArrowType(const proto::DataType& type,
                                                   const std::string& zone);

// Returns the schema of the batches of a result of this type, which must be a struct.
Result<SchemaPtr> ArrowSchema(const proto::DataType& type, const std::string& zone);

// Returns what Spark notes with a column of a schema under `key`, as JSON: what a JDBC driver said
// of it ("scale", "isSigned"); empty if it notes nothing.
std::string NoteOf(const arrow::Field& field, const std::string& key);

// Returns `name` as an identifier in Spark's SQL: in backticks, with inner ones doubled.
std::string SparkName(std::string_view name);

}  // namespace protium::connect
