// SPDX-License-Identifier: Apache-2.0
// Which types Spark casts to which.
#pragma once

#include "sql_tree/sql_type.h"

namespace protium {

// Whether Spark has such a cast in ANSI mode (Cast.canAnsiCast); it refuses all others before the
// query runs, also for TRY_CAST. True where a type is unknown, or has parts.
bool HasCast(const SqlType& from, const SqlType& to);

}  // namespace protium
