// SPDX-License-Identifier: Apache-2.0
// The columns of an Iceberg table: their types are JSON of its metadata (Iceberg Table Spec,
// "Appendix C: JSON serialization").
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "sources/lake_file.h"

namespace protium {

// The schema of a new table for rows of these columns, which may all be NULL. Moments are Iceberg's
// "timestamptz". Refuses (kInput) types that Iceberg does not have.
Result<Json> IcebergSchema(const arrow::Schema& rows);

// The columns of the table in its order. Rows of `rows` must have all of them and no others, in any
// order, with the same types or narrower ones of numbers. Faults (kInput) name the column.
Result<std::vector<LakeColumn>> FitIcebergColumns(const Json& schema, const arrow::Schema& rows,
                                                  const std::string& place);

// A bound of a file of rows for each column that has one: `values` are LakeFile::statistics of one
// kind, the bounds the binary form of single values ("Appendix D"), by the numbers of columns.
std::map<int64_t, std::string> IcebergBounds(const Json& schema, const Json& values);
// A value in that form: a whole number, a text, true or false, or of a date the days since 1970 or
// a text such as "2026-11-27". nullopt: it is none of the type, which is a name of Iceberg's.
std::optional<std::string> IcebergValue(const Json& type, const Json& value);
// "2026-11-27" as days since 1970.
std::optional<int32_t> IcebergDays(const std::string& text);
// Counts by the numbers of columns.
std::map<int64_t, int64_t> IcebergCounts(const Json& schema, const Json& counts);

}  // namespace protium
