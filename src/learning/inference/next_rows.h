// SPDX-License-Identifier: Apache-2.0
// The rows that come after those which a model keeps, for predictions of what nobody has written
// down yet.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "model/model_state.h"
#include "protium/scorer.h"

namespace protium {

// Those of `horizon`, for each series of `kept`, which are rows of ReadKeptRows(): columns that
// tell the series apart, and times, in steps of TimeStep::Find(). Rows come by series and time.
// Fails with Exit::kUsage for a model that reads other columns: nobody has said what will be in
// them.
Result<std::shared_ptr<arrow::RecordBatch>> RowsAfter(const ModelState& state,
                                                      const arrow::RecordBatch& kept,
                                                      const Horizon& horizon);

}  // namespace protium
