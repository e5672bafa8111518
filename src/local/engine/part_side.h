// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/duckdb/handles.h"

namespace protium {

// Registers pt_part_side(seed, bound, cell, ...): plan/part_side.h for whole numbers, booleans,
// dates and texts, seed and bound being texts.
Status RegisterPartSide(const duck::Connection& connection);

}  // namespace protium
