// SPDX-License-Identifier: Apache-2.0
// Results that go into tables of databases.
#pragma once

#include "base/call.h"
#include "column/stream.h"
#include "local/database.h"
#include "plan/node.h"

namespace protium {

// Writes the rows of `stream` into the table that `store` names: of Delta as StoreInDelta()
// (local/delta_store.h), of Iceberg as StoreInIceberg() (local/iceberg_store.h), of a database in
// one transaction of its server; returns their number. In the same transaction goes a row of the
// table protium_commits beside it, and rows of a run and output that has one already are not
// appended again. The rows wait in a database of their own, opened with `options`, until all have
// come.
//
// A table that does not exist is made. One that does keeps its columns, rights and indexes, and its
// columns must be those of the rows, in any order. Faults are those of OpenSources.
// Warnings go to `call`.
Result<int64_t> StoreRows(const DatabaseOptions& options, BatchStream& stream, const Store& store,
                          const Call& call);

// Refuses a table of a lake that rows cannot be written into so, as far as that is known without
// them. Those of databases are not asked.
Status CheckTarget(const DatabaseOptions& options, const Store& store);

}  // namespace protium
