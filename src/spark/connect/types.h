// SPDX-License-Identifier: Apache-2.0
// Types of columns as Arrow has them, as Spark's DDL text names them and as its messages hold them.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "column/source.h"
#include "spark/connect/messages.h"

namespace protium::connect {

// Spark's name of the type: "BIGINT", "DECIMAL(10,2)", "ARRAY<STRING>", "STRUCT<`a`: INT NOT
// NULL>". A type that Spark does not have (unsigned, times of other units ...) is a fault that
// names it.
Result<std::string> SparkType(const arrow::DataType& type);

// "`a` INT NOT NULL, `b` STRING": the columns of a schema.
Result<std::string> SparkDdl(const arrow::Schema& schema);

// The type of columns that Spark sends for its own type. Timestamps with a zone get `zone`. A type
// that tables of ours do not carry (interval, variant ...) is a fault that names it.
Result<std::shared_ptr<arrow::DataType>> ArrowType(const proto::DataType& type,
                                                   const std::string& zone);

// The schema of batches for a result's type, which is a struct.
Result<SchemaPtr> ArrowSchema(const proto::DataType& type, const std::string& zone);

// `name` as Spark's SQL takes it: between backticks.
std::string SparkName(std::string_view name);

// `text` as a literal of Spark's SQL: between single quotes.
std::string SparkText(std::string_view text);

}  // namespace protium::connect
