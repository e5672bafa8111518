// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sql_types/typer.h"

namespace protium {

// The notes of a checked statement, of which `not_exact` has all, by which its rows may differ
// between two runs of the same build on the same machine with other threads; what they say is more
// exact where types are known. Drops from `not_exact` what the types show to be exact everywhere.
//
// Measured with 1, 2 and 4 threads: sums of whole numbers and decimals never vary (they are added
// in 128 bits), sums of doubles do with every second thread, and so does the order of rows that tie
// in a window, unless it is made complete (sql_types/ties.h).
std::vector<std::string> WhatVaries(std::vector<std::string>& not_exact,
                                    const TypedStatement& typed);

}  // namespace protium
