// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/job/job.h"

namespace protium {

// Puts the place in the job file, file:line:column, before the line that a fault about SQL shows,
// or in the place of "the SQL text, line 3, column 8". Other faults pass.
Status PlaceInFile(const Job& job, const Status& status);

}  // namespace protium
