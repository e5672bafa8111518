// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"

namespace protium {

// True when between `plan` and a MapTask there are only limits and choices of columns.
bool IsPlainOverTask(const Plan& plan);

// What `plan`, a Limit or a Project of columns, makes of its input's rows.
Result<BatchStreamPtr> PlainStream(const Plan& plan, BatchStreamPtr input);

}  // namespace protium
