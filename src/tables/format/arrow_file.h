// SPDX-License-Identifier: Apache-2.0
// Reads Arrow's own files (including Feather 2) and streams as rows.
#pragma once

#include <memory>

#include "format/bring.h"

namespace protium {

// The columns are those of the files, with the nearest types that tables support:
// dictionary-encoded texts become plain texts, small whole numbers int32 or int64, times
// microseconds, and UTC if they have a zone. Faults of Exit::kInput: a value that the nearest type
// cannot hold, types without one (structs, maps, times of day), files that differ in their columns,
// batches that claim more than they hold (column/claims.h), and damaged files. Batches must be
// released before the rows: they may use their memory.
Result<std::unique_ptr<BroughtRows>> OpenArrowRows(const BringSpec& spec, const BringWatch& watch);

}  // namespace protium
