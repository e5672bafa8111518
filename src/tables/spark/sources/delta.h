// SPDX-License-Identifier: Apache-2.0
// Tables of Delta in folders that the cluster reaches, read and written by the server's own Delta.
// A server without it is a fault of kEnvironment with the lines that add it.
#pragma once

#include "connect/session.h"
#include "plan/node.h"
#include "spark/ship/spark_table.h"
#include "spark/ship/tables.h"

namespace protium {

// Returns the table at its version, at its time, or as it is now.
Result<connect::Relation> ReadDelta(SparkSession& session, const Source& source, const Call& call);

// Returns the source at the version that it has now, or had at source.as_of. Faults: kInput if it
// had none then, or is no table.
Result<Source> PinDelta(SparkSession& session, const Source& source, const Call& call);

// Writes rows, to replace others or be appended, as one version of the table, or makes the table;
// returns their number. What a run's output has appended already is not appended again, since the
// log names it; the number is then 0.
Result<int64_t> StoreInDelta(SparkSession& session, const SparkTable& rows, const Store& store,
                             ExecuteOptions options, const Call& call);

// The same for rows that are upserted, which are kept in files meanwhile. Those that were upserted
// by the run and output are not upserted again, but others of them are: a run may have learned
// more. Nothing else may write from the session meanwhile. Refuses (kInput) rows of which two have
// the same key, or one has NULL in it.
Result<int64_t> UpsertInDelta(SparkSession& session, const WrittenRows& rows, const Store& store,
                              ExecuteOptions options, const Call& call);

// Turns Spark's words about a table of Delta into ours.
Status DeltaFault(const Source& source, const Status& status);

// The answer of a query of one text; sends no events, which would look like steps of the job.
Result<std::string> AskText(SparkSession& session, const connect::Relation& relation,
                            const Call& call);

}  // namespace protium
