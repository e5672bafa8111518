// SPDX-License-Identifier: Apache-2.0
// Columns without any value: files of text do not say what type they would have had.
#pragma once

#include "protium/frame.h"

namespace protium {

// `refused` is why stages do not take the columns `schema` of `train`. Where that is the type of a
// column of text which has no value in any row, the fault says so instead; counts its values.
Status ExplainNoValues(const DataFrame& train, const arrow::Schema& schema, const Status& refused);

}  // namespace protium
