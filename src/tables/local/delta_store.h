// SPDX-License-Identifier: Apache-2.0
// Results that go into tables of Delta, in a folder here or at an S3 store.
#pragma once

#include <functional>
#include <string>

#include "base/call.h"
#include "column/stream.h"
#include "local/database.h"
#include "local/delta_log.h"
#include "plan/node.h"

namespace protium {

// Writes the rows of `stream` into the Delta table that `store` names, in one commit, and returns
// their number. The rows lie in new files first; the commit then appears under the number of the
// next version if no other writer has taken it, and else is made again for the version after. It
// has a transaction of the run and the output: rows of one that is in the log already are not
// appended again. A table that does not exist is made. Faults: kInput for a table that asks writers
// for what is not kept (delta/table.h) or has other columns; kRemote of a store. A checkpoint that
// was due and failed is a warning.
Result<int64_t> StoreInDelta(const DatabaseOptions& options, BatchStream& stream,
                             const Store& store, const Call& call);

// Appends the rows of the table `rows` of the connection's database in one commit, which has the
// version `number` of the transactions of `application`. `log` is that of `target`, which the
// connection must be able to open. Returns false, and writes nothing, if the table has that version
// already, or a newer one.
using Warn = std::function<void(const std::string& message)>;
struct DeltaBatch {
  const Source& target;
  std::string application;
  int64_t number = 0;
  std::string rows;
  SchemaPtr schema;
  Warn warn;  // Of a checkpoint that was due and failed; may be empty.
};
Result<bool> AppendToDelta(const duck::Connection& connection, DeltaLog& log,
                           const DeltaBatch& batch);

// Refuses (kInput, kUsage) a place where rows of these columns cannot be appended.
Status CheckDeltaRows(DeltaLog& log, const Source& target, const arrow::Schema& rows);

// Refuses what StoreInDelta() would refuse without knowing the rows. Writes nothing.
Status CheckDeltaTarget(const DatabaseOptions& options, const Store& store);

}  // namespace protium
