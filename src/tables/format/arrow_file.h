// SPDX-License-Identifier: Apache-2.0
// Arrow's own files (Feather 2 among them) and streams as rows.
#pragma once

#include <memory>

#include "format/bring.h"

namespace protium {

// The columns are those of the files, with the nearest types that tables carry: texts encoded by
// dictionaries are plain texts, small whole numbers int32 or int64, times microseconds, and with a
// zone UTC. A value that the nearest type does not hold, types without one (structs, maps, times of
// a day), files that differ in their columns, batches that claim more than they hold
// (column/claims.h), and damaged files are faults of Exit::kInput. Batches are given back before
// the rows are: they may lie in memory of theirs.
Result<std::unique_ptr<BroughtRows>> OpenArrowRows(const BringSpec& spec, const BringWatch& watch);

}  // namespace protium
