// SPDX-License-Identifier: Apache-2.0
// Rows as the Parquet files of a Delta table.
#pragma once

#include <string>
#include <vector>

#include "delta/columns.h"
#include "delta/commit.h"
#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// Writes the rows of a table of the database into new files in the target's folder, which no commit
// names yet, and waits until they are on the disk or at the store. Their names begin with `name`,
// which no other file's does. The values of `partitions` become names of folders. A failure may
// leave files behind.
Result<std::vector<DeltaFile>> WriteDeltaFiles(const duck::Connection& connection,
                                               const Source& target, const std::string& name,
                                               const std::string& rows,
                                               const std::vector<DeltaColumn>& columns,
                                               const std::vector<std::string>& partitions);

// Removes the files of the name from the target's folder, if that is here. At a store they stay, as
// those of any writer that is killed do: Delta's VACUUM removes them.
void RemoveDeltaFiles(const Source& target, const std::string& name);

}  // namespace protium
