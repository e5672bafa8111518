// SPDX-License-Identifier: Apache-2.0
// Folders as columns: root/year=2013/month=1/x.csv, as Hive and Spark lay tables out.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// The column `year` of a folder "year=2013", escapes such as %20 undone; empty for other folders.
std::string ColumnOfFolder(const std::string& folder);

// The folder "year=2013" of a value, with the escapes that Spark writes; null: of NULL.
std::string PartitionName(const std::string& column, const std::string* value);

// Reads the columns `names` from the names of the folders between `root` and each of `paths`. A
// column is int64 where all values are whole numbers of 64 bits, date where all are as 2013-12-31,
// else string; one that `known` has is typed as there. "__HIVE_DEFAULT_PARTITION__" is NULL.
// Faults (exit kInput) name the folder: one of the columns without a folder, a folder without
// column or value, folders in another order than those of the first file, values that do not fit
// `known`, which may be null.
Result<Partitions> ReadPartitions(const std::vector<std::string>& paths, const std::string& root,
                                  const std::vector<std::string>& names, const SchemaPtr& known);

// The columns of the files, then those of the folders. One that is both is a fault.
Result<SchemaPtr> WithPartitions(const SchemaPtr& files, const Partitions& partitions);

}  // namespace protium
