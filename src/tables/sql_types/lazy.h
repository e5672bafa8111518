// SPDX-License-Identifier: Apache-2.0
// AND and OR where the value matters, not only which rows pass.
#pragma once

#include "base/json.h"

namespace protium {

// DuckDB computes all operands of such an AND for all rows; Spark skips those that an earlier
// operand makes irrelevant: n <> 0 AND 10 / n > 1. Where an operand may fail, the node becomes a
// CASE, whose branches are computed only for their own rows. A filter already stops at the operand
// that decides.
void MakeLazy(Json& node);

}  // namespace protium
