// SPDX-License-Identifier: Apache-2.0
// Whether the columns that a job's outputs name are there.
#pragma once

#include "job/job.h"

namespace protium {

// Refuses (Exit::kInput) a column of an output that is neither one of `table`, the columns of the
// SQL's result, nor made by the estimator.
Status CheckOutputColumns(const Job& job, const Columns& table);

}  // namespace protium
