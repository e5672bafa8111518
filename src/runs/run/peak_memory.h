// SPDX-License-Identifier: Apache-2.0
// The memory that a run took at its highest.
#pragma once

#include "base/json.h"

namespace protium {

// {"driver_bytes", "worker_bytes", "workers": [{"pid", "bytes"}]}: the most memory that this
// process, the largest of its child processes that are still alive, and each of these had resident
// so far. The first alone where there is no child, as on Spark, whose workers are elsewhere.
Json PeakMemory();

}  // namespace protium
