// SPDX-License-Identifier: Apache-2.0
// Folders as columns: root/year=2013/month=1/x.csv, the layout of Hive and Spark.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// Returns the column `year` of a folder "year=2013", unescaping %20 and the like; empty for other
// folders.
std::string ColumnOfFolder(const std::string& folder);

// Returns the folder name "year=2013" for a value, escaped as Spark does; a null `value` stands for
// NULL.
std::string PartitionName(const std::string& column, const std::string* value);

// Reads the columns `names` from the names of the folders between `root` and each of `paths`. A
// column is int64 if all values are whole numbers of 64 bits, date if all look like 2013-12-31,
// else string; a column in `known`, which may be null, gets its type there.
// "__HIVE_DEFAULT_PARTITION__" is NULL. Faults (exit kInput) name the folder: a column without a
// folder, a folder without column or value, folders in another order than those of the first file,
// values that do not fit `known`.
Result<Partitions> ReadPartitions(const std::vector<std::string>& paths, const std::string& root,
                                  const std::vector<std::string>& names, const SchemaPtr& known);

// Returns the columns of the files, then those of the folders. A column that is both is a fault.
Result<SchemaPtr> WithPartitions(const SchemaPtr& files, const Partitions& partitions);

}  // namespace protium
