// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "functions/row_function.h"

namespace protium {

// Makes the aggregates of moments known to the connection's database: pt_var_pop(x) and its family,
// pt_covar_pop(x, y) and pt_corr(x, y), pt_regr_slope(y, x) and its family. All take and return
// doubles, and skip rows with a null.
Status RegisterMomentFunctions(const duck::Connection& connection);

}  // namespace protium
