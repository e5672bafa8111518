// SPDX-License-Identifier: Apache-2.0
// Reads CSV that engines do not read themselves as typed rows, in two passes: the first finds a
// type for each column that holds in all files, the second makes the rows.
#pragma once

#include <memory>

#include "format/bring.h"

namespace protium {

// Infers the types of all columns, except those in options.types and `known`, before it returns.
// All files must have the same columns. `watch` is notified during both passes, and may end either.
Result<std::unique_ptr<BroughtRows>> OpenCsvRows(const BringSpec& spec, const BringWatch& watch);

}  // namespace protium
