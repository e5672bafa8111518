// SPDX-License-Identifier: Apache-2.0
// The peak memory of a run.
#pragma once

#include "base/json.h"

namespace protium {

// {"driver_bytes", "worker_bytes", "workers": [{"pid", "bytes"}]}: the peak resident memory so far
// of this process, of the largest of its child processes that are still alive, and of each of them.
// Only the first if there is no child, as on Spark, whose workers are elsewhere.
Json PeakMemory();

}  // namespace protium
