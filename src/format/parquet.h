// SPDX-License-Identifier: Apache-2.0
// Parquet files as tables: their columns, and what is said of files that do not serve.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// The columns of Parquet files, from their footers. A file that is truncated or no Parquet file,
// and files that differ in their columns, are faults (exit kInput) with the path.
Result<SchemaPtr> ParquetSchema(const std::vector<std::string>& paths);

// What every reader says of a file whose columns differ from those of the first one.
Status OtherColumns(const std::string& path, const arrow::Schema& schema, const std::string& first,
                    const arrow::Schema& wanted);

// What every reader says of a file that is none.
Status UnreadableParquet(const std::string& path, const std::string& why);

}  // namespace protium
