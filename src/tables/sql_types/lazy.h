// SPDX-License-Identifier: Apache-2.0
// AND and OR whose value is wanted, not which rows pass.
#pragma once

#include "base/json.h"

namespace protium {

// DuckDB computes all operands of such an AND for all rows, Spark none that the one before decides:
// n <> 0 AND 10 / n > 1. Where an operand may fail, the node becomes a CASE, whose branches are
// computed only for their own rows. A filter stops at what decides by itself.
void MakeLazy(Json& node);

}  // namespace protium
