// SPDX-License-Identifier: Apache-2.0
// Converts Arrow's many types to the fewer that tables support, which every engine reads alike:
// small whole numbers widen, dictionaries and views become plain columns, times count microseconds
// of UTC.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <set>
#include <string>

#include "protium/stream.h"

namespace protium {

// Refuses (Exit::kInput, at `where`) columns that no query can name: two with the same name,
// ignoring case, and those without a name.
Status CheckColumnNames(const arrow::Schema& schema, const std::string& where);

// Returns the columns as tables support them. Names that CheckColumnNames() refuses, and
// unsupported types, are faults of Exit::kInput at `where`.
Result<SchemaPtr> CarriedSchema(const arrow::Schema& schema, const std::string& where);

// Converts the rows to the types of `carried`, the CarriedSchema() of their schema; columns that
// already have these types are shared. A value that does not fit is a fault of Exit::kInput at
// `where`.
Result<std::shared_ptr<arrow::RecordBatch>> CarriedBatch(const arrow::RecordBatch& batch,
                                                         const SchemaPtr& carried,
                                                         const std::string& where);

// Returns notes for the user about columns with times of a zone.
std::set<std::string> ZoneNotes(const arrow::Schema& schema);

}  // namespace protium
