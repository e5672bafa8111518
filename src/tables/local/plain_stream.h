// SPDX-License-Identifier: Apache-2.0
// Rows of tasks that need no query: they go from the workers to the caller, bypassing DuckDB.
#pragma once

#include "engine/engine.h"

namespace protium {

// Whether only limits and selections of columns lie between `plan` and a MapTask.
bool IsPlainOverTask(const Plan& plan);

// Applies `plan`, a Limit or a Project of columns, to the rows of `input`. A column that does not
// exist is a Fault with exit kUsage.
Result<BatchStreamPtr> PlainStream(const Plan& plan, BatchStreamPtr input);

}  // namespace protium
