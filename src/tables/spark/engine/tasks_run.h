// SPDX-License-Identifier: Apache-2.0
// Operations with tasks in them: submitted again once if an executor lacked the program, and with
// the tasks' events passed on when they have ended.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "connect/session.h"
#include "spark/ship/deployment.h"

namespace protium {

// The folders of events of an operation's tasks without a gang, one for each task. Spark may run
// such a task several times; of each partition the last attempt counts.
using EventFolders = std::vector<std::filesystem::path>;

// Passes all events on to `call`; to be called when the operation has ended.
Status TellEvents(const EventFolders& folders, const Call& call);

// Turns the server's error into ours: what a worker said, else Spark's own account. `doing` is the
// phrase in front.
ExplainSparkError Explainer(std::string doing, std::string address);

// Opens a stream of an operation. `open` is called a second time if the first fails for lack of the
// program before any row came. Events are passed on at the end of the rows. `deployment` must
// outlive the stream.
Result<BatchStreamPtr> StreamWithTasks(std::function<Result<BatchStreamPtr>()> open,
                                       Deployment& deployment, EventFolders folders,
                                       const Call& call);

}  // namespace protium
