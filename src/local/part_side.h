// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/duckdb.h"

namespace protium {

// Registers pt_part_side(seed, bound, cell, ...): whether a row with these cells lies on the part's
// side of a split (sql/writer.h, "Split"), seed and bound being texts. Cells are whole numbers,
// booleans, dates and texts. Rows that agree in their cells are hashed once, as far as a few
// thousand different ones are remembered: with days as cells that is once a day, not once a row.
Status RegisterPartSide(const duck::Connection& connection);

}  // namespace protium
