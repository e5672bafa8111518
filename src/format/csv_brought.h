// SPDX-License-Identifier: Apache-2.0
// CSV that engines do not read themselves, as typed rows.
#pragma once

#include <memory>

#include "format/bring.h"

namespace protium {

// Infers the types of all columns, but for those in options.types and `known`, in a first pass. The
// columns of all files must be the same.
Result<std::unique_ptr<BroughtRows>> OpenCsvRows(const BringSpec& spec, const BringWatch& watch);

}  // namespace protium
