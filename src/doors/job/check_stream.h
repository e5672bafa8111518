// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "job/job.h"

namespace protium {

// Checks [stream] by itself, and that nothing is beside it that belongs to a run.
Status CheckStream(const JobFile& file);

// Refuses (Exit::kUsage) a job with [stream] where a run is wanted.
Status RefuseStream(const Job& job);

}  // namespace protium
