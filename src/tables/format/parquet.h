// SPDX-License-Identifier: Apache-2.0
// Parquet files as tables: their columns, and the errors for unusable files.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

struct ParquetTable {
  SchemaPtr schema;
  // Floating-point columns that have bloom filters in some file: 0.0 and -0.0 are equal, but their
  // hashes are not.
  std::vector<std::string> hashed;
};

// Returns the columns of Parquet files, from their footers, without the metadata that writers add.
// A file that is truncated or not Parquet, and files that differ in their columns, are faults (exit
// kInput) with the path.
Result<ParquetTable> ReadParquetTable(const std::vector<std::string>& paths);
Result<SchemaPtr> ParquetSchema(const std::vector<std::string>& paths);

// Returns the fault for a file whose columns differ from those of the first one; the same from
// every reader.
Status OtherColumns(const std::string& path, const arrow::Schema& schema, const std::string& first,
                    const arrow::Schema& wanted);

// Returns the fault for a file that cannot be read as Parquet: what it is instead, if its first
// bytes show that, else `why`.
Status UnreadableParquet(const std::string& path, const std::string& why);

}  // namespace protium
