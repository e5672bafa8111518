// SPDX-License-Identifier: Apache-2.0
// Splits Arrow batches where the rows are, with part_side.h for every row of a batch.
#pragma once

#include <arrow/record_batch.h>

#include "plan/node.h"

namespace protium {

// Whether all engines write cells of this type as the same text: signed integers, booleans, days
// and text. Doubles and timestamps are not among them.
bool HasCutText(const arrow::DataType& type);

// Whether rows with these columns can be split here. If not, an engine has to do it, or to report
// what is wrong with the split.
bool CanCut(const Split& cut, const arrow::Schema& schema);

// Returns one flag per row, never null: true for the rows that the split keeps. CanCut() must hold
// for the batch.
Result<std::shared_ptr<arrow::BooleanArray>> KeptBy(const Split& cut,
                                                    const arrow::RecordBatch& batch);

}  // namespace protium
