// SPDX-License-Identifier: Apache-2.0
// Source and sink of a job's [stream], for an engine that runs the stream by itself.
#pragma once

#include "engine/stream_query.h"
#include "job/job.h"
#include "stream/stream_ends.h"

namespace protium {

// The messages that a batch has at most. Unless the job has a number of its own they are more than
// those of a stream here: that a batch begins and ends takes an engine as long as many thousands of
// rows.
int64_t EngineBatchRows(const BatchOptions& batch);

// `scan` is the Scan over the folder or over nothing. Refuses (kUsage) a start of a topic that only
// streams here have.
Result<QueryEvents> EventsForEngine(const StreamOptions& options, const SourceForm& form,
                                    const Node* scan);

// For rows of these columns. Refuses (kUsage) columns that the sink cannot hold.
Result<QuerySink> SinkForEngine(const JobFile& job, const arrow::Schema& columns);

}  // namespace protium
