// SPDX-License-Identifier: Apache-2.0
// The rows of a stream as a plan for an engine that runs it by itself: the same SQL, model and
// columns that StreamSteps has.
#pragma once

#include "job/job.h"
#include "plan/node.h"
#include "protium/session.h"
#include "stream/event_shape.h"
#include "stream/stream_ends.h"
#include "stream/stream_model.h"

namespace protium {

struct EngineRows {
  DataFrame rows;
  const Node* events = nullptr;  // The Scan over the folder of the source, or over nothing.
};

// Over the session's engine. `model` may be null. Mistakes are in `rows` and come with its first
// action, but for those of the columns that are written.
Result<EngineRows> RowsOnEngine(Session& session, const Job& job, const EventShape& shape,
                                const SourceForm& form, const LoadedModel* model);

}  // namespace protium
