// SPDX-License-Identifier: Apache-2.0
// [train], [gang], net and loss at the top of a job file: shorthand for its only estimator's
// options.
#pragma once

#include "job/job.h"

namespace protium {

// Finds the job's estimator and moves the shorthand into it, with its places. `as_written` are the
// settings of the file only. Faults name a path.
Status MoveShorthand(Job& job, const Settings& as_written);

}  // namespace protium
