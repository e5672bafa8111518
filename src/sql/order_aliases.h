// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"

namespace protium {

// In expressions of ORDER BY a name is that of a column of the SELECT before it is that of a column
// of its tables in Spark, and after it in DuckDB: puts the expressions of the SELECT in the place
// of their names. A name alone means the same in both. True when it changed the node.
bool OrderByAliases(Json& select);

}  // namespace protium
