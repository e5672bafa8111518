// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/job/job.h"

namespace protium {

// Finds the line that a fault about SQL shows ("LINE 3: SELECT ..." over a mark) in the job file
// and puts file:line:column in front. Other faults pass.
Status PlaceInFile(const Job& job, const Status& status);

}  // namespace protium
