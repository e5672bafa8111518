// SPDX-License-Identifier: Apache-2.0
// Rows of tasks that need no query: they go from the workers to the caller without passing DuckDB.
#pragma once

#include "engine/engine.h"

namespace protium {

// Whether there are only limits and chosen columns between `plan` and a MapTask.
bool IsPlainOverTask(const Plan& plan);

// What `plan`, a Limit or a Project of columns, makes of the rows of `input`. A column that does
// not exist is a Fault of exit kUsage.
Result<BatchStreamPtr> PlainStream(const Plan& plan, BatchStreamPtr input);

}  // namespace protium
