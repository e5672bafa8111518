// SPDX-License-Identifier: Apache-2.0
// Many rows scored on all cores.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "protium/scorer.h"

namespace protium {

// As scorer.Score(), on as many threads as this process has cores where there are rows enough for
// them. The bits are the same: a prediction depends on no other row, and where it does
// (Scorer::ReadsHistory()) one thread scores all.
Result<std::shared_ptr<arrow::RecordBatch>> ScoreInParts(const Scorer& scorer,
                                                         const arrow::RecordBatch& rows);

}  // namespace protium
