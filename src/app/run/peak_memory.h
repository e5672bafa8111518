// SPDX-License-Identifier: Apache-2.0
// The memory that a run took at its highest.
#pragma once

#include "base/json.h"

namespace protium {

// {"driver_bytes", "worker_bytes"}: the most memory that this process, and the largest of its child
// processes that are still alive, had resident so far. Without the second where there is no child,
// as on Spark, whose workers are elsewhere.
Json PeakMemory();

}  // namespace protium
