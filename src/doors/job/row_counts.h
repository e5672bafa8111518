// SPDX-License-Identifier: Apache-2.0
// How many rows the tables of a job hold, as far as that is known without reading them.
#pragma once

#include <string>

#include "base/json.h"
#include "protium/session.h"

namespace protium {

// A list of {"table", "bytes", "rows", "exact"}, in the order of the job. Of Parquet, and of what
// was brought as such, the footers tell; of CSV it is estimated: the files' size by the length of
// lines in a few samples, so that line breaks within cells count as rows. Without "rows" where
// nothing tells; without "bytes" for tables of databases. Files that cannot be read have neither.
Json CountRows(const Session& session);

// The same as a text table, a line a table: "flights  about 30,000 rows, by samples of its 1.9
// MiB".
std::string RowCountsText(const Json& tables);

}  // namespace protium
