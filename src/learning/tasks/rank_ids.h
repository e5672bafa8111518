// SPDX-License-Identifier: Apache-2.0
// Which ids the rows of a training have: those that its net stores rows for (tensor/id_tables.h).
#pragma once

#include <cstdint>
#include <memory>

#include "collective/communicator.h"
#include "rows/rows.h"
#include "tensor/id_tables.h"

namespace protium {

// Returns the ids of all training rows, column by column: the same for any ranks. Collective,
// unless `all_here`: then this rank holds all rows (rows/shared_rows.h) and no rank is asked.
// nullptr if rows have no ids. Takes a pass over the rows and, on every rank, up to 50 bytes for
// each id while it lasts. A rank's ids of one column may take 1 GiB.
Result<std::shared_ptr<const IdTables>> CollectIds(const ShardedRows& rows, uint64_t seed,
                                                   bool all_here, Communicator* communicator);

}  // namespace protium
