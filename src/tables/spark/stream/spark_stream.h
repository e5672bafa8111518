// SPDX-License-Identifier: Apache-2.0
// A structured stream of Spark with our tasks in it: files as they come, through a lowered plan,
// into files of Spark's own sink, whose log (_spark_metadata) says which of them count.
#pragma once

#include <memory>

#include "connect/session.h"
#include "engine/stream_query.h"
#include "spark/ship/deployment.h"
#include "spark/ship/spark_table.h"

namespace protium {

// How Spark reads the files of `spec.events`, beside what every reader of such files says.
connect::Options StreamOptionsOf(const StreamQuerySpec& spec);

// Starts the query over `table`, or goes on with that of its checkpoint. Refuses (kUsage) a plan
// for which Spark would keep rows from one batch to the next. Session and deployment must outlive
// it.
Result<std::unique_ptr<StreamQuery>> StartSparkStream(SparkSession& session, Deployment& deployment,
                                                      const SparkTable& table,
                                                      const StreamQuerySpec& spec,
                                                      const Call& call);

}  // namespace protium
