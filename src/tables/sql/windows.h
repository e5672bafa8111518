// SPDX-License-Identifier: Apache-2.0
// Checks what Spark requires of windows and DuckDB does not.
#pragma once

#include <string>

#include "base/status.h"
#include "sql_tree/tree_view.h"

namespace protium {

// Refuses (kUsage, at `place`) a window function without the order that it needs or with one that
// it cannot have, and offsets that are not constants. Frames are checked as they are read
// (spark_windows.cc).
Status CheckWindow(const tree::View& window, const std::string& place);

}  // namespace protium
