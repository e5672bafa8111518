// SPDX-License-Identifier: Apache-2.0
// The columns of a Delta table: their types are JSON of its log (Delta Transaction Log Protocol,
// "Schema Serialization Format").
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

#include "delta/table.h"
#include "sources/lake_file.h"

namespace protium {

// The schema of a new table for rows of these columns, which may all be NULL. Moments are Delta's
// "timestamp", of UTC. Refuses (kInput) types that Delta does not have, and names that its other
// writers refuse: with a blank or one of , ; { } ( ) = in them.
Result<Json> DeltaSchema(const arrow::Schema& rows);

// The columns of the table in its order. Rows of `rows` must have all of them and no others, in any
// order, with the same types or narrower ones of numbers. Faults (kInput) name the column.
Result<std::vector<LakeColumn>> FitColumns(const Json& schema, const arrow::Schema& rows,
                                           const std::string& place);

}  // namespace protium
