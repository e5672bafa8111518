// SPDX-License-Identifier: Apache-2.0
// Parquet files as tables: their columns, and what is said of files that do not serve.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

struct ParquetTable {
  SchemaPtr schema;
  // Columns of floating point of which a file has bloom filters: 0.0 and -0.0 are equal, and their
  // hashes are not.
  std::vector<std::string> hashed;
};

// The columns of Parquet files, from their footers, without the metadata that writers add. A file
// that is truncated or not Parquet, and files that differ in their columns, are faults (exit
// kInput) with the path.
Result<ParquetTable> ReadParquetTable(const std::vector<std::string>& paths);
Result<SchemaPtr> ParquetSchema(const std::vector<std::string>& paths);

// The fault for a file whose columns differ from those of the first one; the same from every
// reader.
Status OtherColumns(const std::string& path, const arrow::Schema& schema, const std::string& first,
                    const arrow::Schema& wanted);

// The fault for a file that cannot be read as Parquet: what it is instead, if its first bytes tell,
// else `why`.
Status UnreadableParquet(const std::string& path, const std::string& why);

}  // namespace protium
