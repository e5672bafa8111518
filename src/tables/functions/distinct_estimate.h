// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "functions/row_function.h"

namespace protium {

// Makes pt_distinct_estimate(hash), an aggregate of BIGINTs, known to the connection's database.
Status RegisterDistinctEstimate(const duck::Connection& connection);

}  // namespace protium
