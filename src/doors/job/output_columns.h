// SPDX-License-Identifier: Apache-2.0
// Checks that the columns named by a job's outputs exist.
#pragma once

#include "job/job.h"

namespace protium {

// Refuses (Exit::kInput) an output's column that is neither in `table`, the columns of the SQL's
// result, nor made by the estimator.
Status CheckOutputColumns(const Job& job, const Columns& table);

}  // namespace protium
