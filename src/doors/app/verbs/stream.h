// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/verb.h"
#include "job/job.h"

namespace protium {

// `protium plan` of a job with [stream].
Status ShowStreamPlan(const Arguments& arguments, Job job);

}  // namespace protium
