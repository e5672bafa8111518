// SPDX-License-Identifier: Apache-2.0
// Results that go into tables of Delta, in a folder here or at an S3 store.
#pragma once

#include "column/stream.h"
#include "local/database.h"
#include "plan/node.h"

namespace protium {

// Writes the rows of `stream` into the Delta table that `store` names, in one commit, and returns
// their number. The rows lie in new files first; the commit then appears under the number of the
// next version if no other writer has taken it, and else is made again for the version after. It
// has a transaction of the run and the output: rows of one that is in the log already are not
// appended again. A table that does not exist is made. Faults: kInput for a table that asks writers
// for what is not kept (delta/table.h) or has other columns; kRemote of a store.
Result<int64_t> StoreInDelta(const DatabaseOptions& options, BatchStream& stream,
                             const Store& store);

// Refuses what StoreInDelta() would refuse without knowing the rows. Writes nothing.
Status CheckDeltaTarget(const DatabaseOptions& options, const Store& store);

}  // namespace protium
