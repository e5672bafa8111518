// SPDX-License-Identifier: Apache-2.0
// Decides which expressions all engines compute alike, and the kinds of their values.
#pragma once

#include <arrow/type.h>

#include <optional>

#include "plan/row_values.h"

namespace protium {

// Like InferKind(), for an expression within another: also returns kinds that no result column has.
std::optional<RowValues::Kind> KindWithin(const Expr& expr, const arrow::Schema& schema);

}  // namespace protium
