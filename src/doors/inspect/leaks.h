// SPDX-License-Identifier: Apache-2.0
// Columns that give the label away by themselves: usually because they are only known after the
// label is, like the cause of a death, or contain it in another unit. A model would learn nothing
// else.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "inspect/profile.h"
#include "protium/stream.h"

namespace protium {

// The reason by column name: "gives death away in all but 3 of 7,874 rows: target leakage?".
using Leaks = std::map<std::string, std::string>;

// For classes: finds columns that, by their few values or by being NULL or not, leave at most one
// in fifty of the mistakes made by always guessing the most frequent class. For numbers: columns
// that are the label times a number, plus another. Reads at most 200,000 rows; `table` profiles
// them.
Result<Leaks> FindLeaks(BatchStream& rows, const TableProfile& table, const std::string& label,
                        bool classes);

}  // namespace protium
