// SPDX-License-Identifier: Apache-2.0
// CSV that engines do not read themselves, as typed rows, in two passes: the first finds a type for
// each column that holds in all files, the second makes the rows.
#pragma once

#include <memory>

#include "format/bring.h"

namespace protium {

// Infers the types of all columns, but for those in options.types and `known`, before it returns.
// The columns of all files must be the same. `watch` is told of both passes, and may end either.
Result<std::unique_ptr<BroughtRows>> OpenCsvRows(const BringSpec& spec, const BringWatch& watch);

}  // namespace protium
