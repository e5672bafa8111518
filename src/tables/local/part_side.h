// SPDX-License-Identifier: Apache-2.0
// The hash that splits rows, as a function of DuckDB's.
#pragma once

#include "duckdb/handles.h"

namespace protium {

// Registers pt_part_side(seed, bound, cell, ...): plan/part_side.h over whole numbers, booleans,
// dates and texts. Seed and bound are texts. True for a row on the part's side.
Status RegisterPartSide(const duck::Connection& connection);

}  // namespace protium
