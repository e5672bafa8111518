// SPDX-License-Identifier: Apache-2.0
// Topics of Kafka as Spark's own connector reads and writes them. A server without it is a fault of
// kEnvironment with the line that adds it.
#pragma once

#include "connect/relations.h"
#include "connect/session.h"
#include "engine/stream_query.h"

namespace protium {

// The messages of a topic as rows of `columns`, as they come. A message that does not fit them
// fails its batch, with its partition and offset.
Result<connect::Relation> FollowTopic(SparkSession& session, const QueryEvents& events,
                                      const arrow::Schema& columns, const Call& call);

// Rows of these columns as messages: [value] or [key, value].
connect::Relation AsMessages(connect::Relation rows, const arrow::Schema& columns,
                             const QueryMessages& sink);

// Where messages go, as options of a query that writes them.
connect::Options MessageOptions(const QueryTopic& topic);

// Turns Spark's words about a topic into ours.
Status TopicFault(const QueryTopic& topic, const Status& status);

}  // namespace protium
