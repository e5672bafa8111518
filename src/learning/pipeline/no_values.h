// SPDX-License-Identifier: Apache-2.0
// Columns without any value: text files do not say what type they would have had.
#pragma once

#include "protium/frame.h"

namespace protium {

// `refused` is why stages refuse the columns `schema` of `train`. If the reason is the type of a
// text column that has no value in any row, returns a fault that says so; counts the column's
// values.
Status ExplainNoValues(const DataFrame& train, const arrow::Schema& schema, const Status& refused);

}  // namespace protium
