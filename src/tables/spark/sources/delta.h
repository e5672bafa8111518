// SPDX-License-Identifier: Apache-2.0
// Tables of Delta in folders that the cluster reaches, read and written by the server's own Delta.
// A server without it is a fault of kEnvironment with the lines that add it.
#pragma once

#include "connect/session.h"
#include "plan/node.h"
#include "spark/ship/spark_table.h"

namespace protium {

// Returns the table at its version, at its time, or as it is now. A place at an object store is
// refused (kUsage).
Result<connect::Relation> ReadDelta(SparkSession& session, const Source& source, const Call& call);

// Returns the source at the version that it has now, or had at source.as_of. Faults: kInput if it
// had none then, or is no table.
Result<Source> PinDelta(SparkSession& session, const Source& source, const Call& call);

// Refuses (kUsage) rows that are to be upserted into a table of Delta.
Status CheckDeltaMode(const Store& store);

// Writes the rows as one version of the table, and makes the table if there is none; returns their
// number. Rows of a run and output that were appended already are not appended again, which makes
// the number 0: the table's log names them.
Result<int64_t> StoreInDelta(SparkSession& session, const SparkTable& rows, const Store& store,
                             ExecuteOptions options, const Call& call);

}  // namespace protium
