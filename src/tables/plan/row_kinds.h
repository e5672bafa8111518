// SPDX-License-Identifier: Apache-2.0
// Which expressions all engines compute alike, and what their values are.
#pragma once

#include <arrow/type.h>

#include <optional>

#include "plan/row_values.h"

namespace protium {

// As InferKind(), for an expression within another: also kinds that no column of a result has.
std::optional<RowValues::Kind> KindWithin(const Expr& expr, const arrow::Schema& schema);

}  // namespace protium
