// SPDX-License-Identifier: Apache-2.0
// Rows that are upserted into a table of Delta by the server's own MERGE.
#pragma once

#include "connect/session.h"
#include "plan/node.h"

namespace protium {

// Replaces the rows of an existing table that have the keys of new ones, and adds the other new
// ones, in one version of it. `rows` gives the same rows each time it is read. Rows of a run and
// output that were upserted already are not upserted again: the table's log names them, and
// `transaction` them all, which tells them from other rows. If another writer was faster, it is
// done again on that writer's version. Other merges and writes must not run in the session
// meanwhile: Delta takes the transaction's name from its settings. Faults are Spark's.
Status MergeIntoDelta(SparkSession& session, const connect::Relation& rows, const Store& store,
                      const std::string& transaction, const ExecuteOptions& options,
                      const Call& call);

// Refuses (kInput) rows of which two have the same key, or one has NULL in it.
Status CheckUpsertKeys(SparkSession& session, const connect::Relation& rows, const Store& store,
                       const Call& call);

// A text that other rows do not have, whatever their order.
Result<std::string> HashOfRows(SparkSession& session, const connect::Relation& rows,
                               const arrow::Schema& schema, const Call& call);

}  // namespace protium
