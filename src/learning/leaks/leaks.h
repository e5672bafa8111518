// SPDX-License-Identifier: Apache-2.0
// Columns that give the label away by themselves: usually because they are only known after the
// label is, like the cause of a death, or contain it in another unit. A model would learn nothing
// else.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "leaks/table_profile.h"
#include "protium/stream.h"

namespace protium {

// The reason by column name: "gives death away in all but 3 of 7,874 rows".
using Leaks = std::map<std::string, std::string>;

// For classes: finds columns that leave at most one in fifty of the mistakes made by always
// guessing the most frequent class by their few values, or by limits in their order, as an id does
// in a table that was sorted by the classes; or one in ten by being NULL or not, or that are only
// there for one class; and pairs of columns whose comparison is the class. For numbers: columns
// that are linear in the label but for rounding, that have its order, as its logarithm does, whose
// values divide it into ranges, or that are NULL where it is 0; and pairs whose sum, difference,
// product or ratio is the label, or between which it is the time. For both: texts that hold the
// label, and columns that are that of the next row, or its mean over groups of rows. Looks at
// 200,000 rows, spread evenly; `table` profiles them all.
Result<Leaks> FindLeaks(BatchStream& rows, const TableProfile& table, const std::string& label,
                        bool classes);

// A line for each: "boat gives survived away in all but 32 of 1,300 rows, ...".
std::vector<std::string> LeakLines(const Leaks& leaks);

}  // namespace protium
