// SPDX-License-Identifier: Apache-2.0
// Batches of events as several steps need them.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "flow/flow.h"

namespace protium {

// The rows without those of these numbers, which are ascending.
Result<std::shared_ptr<arrow::RecordBatch>> Without(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<int64_t>& numbers);

// A dead letter for an event that had become row `row` of `events`, the number `number` of its
// batch, from 0.
DeadLetter LetterOf(const arrow::RecordBatch& events, int64_t row, int64_t number,
                    std::string reason);

}  // namespace protium
