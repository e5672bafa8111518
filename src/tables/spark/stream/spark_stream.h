// SPDX-License-Identifier: Apache-2.0
// A structured stream of Spark with our tasks in it: files or messages as they come, through a
// lowered plan, into files of Spark's own sink, whose log (_spark_metadata) says which of them
// count, into a table of Delta, or into a topic.
#pragma once

#include <functional>
#include <memory>

#include "connect/session.h"
#include "engine/stream_query.h"
#include "spark/ship/deployment.h"
#include "spark/ship/spark_table.h"

namespace protium {

// Makes a stream of the relation of a Scan's files: new ones as they come, or the messages of the
// topic in their place. Session and events must outlive it.
std::function<Result<connect::Relation>(const Scan& scan, connect::Relation files)> FollowerOf(
    SparkSession& session, const QueryEvents& events, const Call& call);

// Starts the query over `table`, or goes on with that of its checkpoint. Refuses (kUsage) a plan
// for which Spark would keep rows from one batch to the next. Session and deployment must outlive
// it.
Result<std::unique_ptr<StreamQuery>> StartSparkStream(SparkSession& session, Deployment& deployment,
                                                      const SparkTable& table,
                                                      const StreamQuerySpec& spec,
                                                      const Call& call);

}  // namespace protium
