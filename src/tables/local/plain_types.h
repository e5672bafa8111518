// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "duckdb/handles.h"

namespace protium {

// Wraps a SELECT so that its columns have types that our tables carry: unsigned and huge integers
// become BIGINT; timestamps of other units or with a zone become TIMESTAMP, also inside lists. The
// query fails at a value that this would change. A type without such a counterpart, and two columns
// of the same name, are Faults with exit kUsage that name the column. Moves no data.
Result<std::string> WithPlainTypes(const duck::Connection& connection, const std::string& select);

}  // namespace protium
