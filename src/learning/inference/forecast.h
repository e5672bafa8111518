// SPDX-License-Identifier: Apache-2.0
// Rows that follow each other in time, and their predictions.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "protium/scorer.h"

namespace protium {

// "28", rows of each series, or "28d", a time; anything else is a fault of Exit::kUsage.
Result<Horizon> ReadHorizon(const std::string& text);

// Predicts `rows` (Scorer::RollForward()) or, with a horizon, those that follow them, or that
// follow the rows which the model keeps if `rows` is null. Returns the predicted rows and beside
// them the columns of their predictions. Refuses rows that have such a column (Exit::kInput), and
// neither rows nor a horizon (Exit::kUsage).
Result<std::shared_ptr<arrow::RecordBatch>> Forecast(Scorer scorer,
                                                     const std::optional<Horizon>& horizon,
                                                     std::shared_ptr<arrow::RecordBatch> rows,
                                                     const std::stop_token& stop = {});

}  // namespace protium
