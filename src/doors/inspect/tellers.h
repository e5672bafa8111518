// SPDX-License-Identifier: Apache-2.0
// Columns that tell the label all by themselves: most often they are known only once it is, as the
// cause of a death is, or hold it in another unit. A model would learn nothing else.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "inspect/profile.h"
#include "protium/stream.h"

namespace protium {

// By the column's name, why: "tells death in all but 3 of 7,874 rows: known only afterwards?".
using Tellers = std::map<std::string, std::string>;

// Of classes: columns of few values, or being NULL or not, that leave at most one in fifty of the
// mistakes that always guessing the most frequent class makes. Of numbers: columns that are the
// label times a number, plus another. Reads at most 200,000 rows; `table` is what they hold.
Result<Tellers> FindTellers(BatchStream& rows, const TableProfile& table, const std::string& label,
                            bool classes);

}  // namespace protium
