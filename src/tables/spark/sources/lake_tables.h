// SPDX-License-Identifier: Apache-2.0
// Tables of files at an object store, and of Iceberg, as relations that Spark reads itself. The
// embedded engine has found what they are, so that they are the same on both: the objects, or the
// file of metadata and the snapshot.
#pragma once

#include "connect/session.h"
#include "protium/sources.h"

namespace protium {

// Both return the source's rows with exactly the columns of `schema`, to whose types Spark's own
// are converted. `source` is pinned. Faults: kUsage for a column that Spark does not read, and
// those of StoreFault().
Result<connect::Relation> ReadObjects(SparkSession& session, const Source& source,
                                      const arrow::Schema& schema, const Call& call);
Result<connect::Relation> ReadIceberg(SparkSession& session, const Source& source,
                                      const arrow::Schema& schema, const Call& call);

// Whether the server and its executors reach the objects of a pinned source; faults as above.
Status CheckReach(SparkSession& session, const Source& source, const Call& call);

}  // namespace protium
