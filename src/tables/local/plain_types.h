// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "duckdb/handles.h"

namespace protium {

// Wraps a SELECT so that its columns have types that our tables carry: unsigned and huge integers
// become BIGINT, timestamps of other units or with a zone TIMESTAMP, also inside lists. A value
// that would change so fails when it is met. A type without such a counterpart, and two columns of
// one name, are Faults of exit kUsage that name the column. Moves no data.
Result<std::string> WithPlainTypes(const duck::Connection& connection, const std::string& select);

}  // namespace protium
