// SPDX-License-Identifier: Apache-2.0
// The sides of a cut, worked out where the rows are: plan/part_side.h for the cells of a batch.
#pragma once

#include <arrow/record_batch.h>

#include "plan/node.h"

namespace protium {

// Whether all engines write cells of this type as the same text.
bool HasCutText(const arrow::DataType& type);

// Whether rows of these columns can be cut so; otherwise an engine has to, or to say what is wrong.
bool CanCut(const Split& cut, const arrow::Schema& schema);

// True for the rows that the cut keeps; CanCut.
Result<std::shared_ptr<arrow::BooleanArray>> KeptBy(const Split& cut,
                                                    const arrow::RecordBatch& batch);

}  // namespace protium
