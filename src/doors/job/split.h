// SPDX-License-Identifier: Apache-2.0
// Checks how a job holds rows out, by [split] and [folds], against the columns of its table.
#pragma once

#include <arrow/type_fwd.h>

#include "job/job.h"

namespace protium {

// Refuses (Exit::kUsage) unknown columns, columns of types that rows cannot be split by, options
// that exclude each other, and a cut by a hash of the rows where a stage reads earlier rows.
Status CheckSplit(const Job& job, const arrow::Schema& schema);

}  // namespace protium
