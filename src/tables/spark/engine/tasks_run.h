// SPDX-License-Identifier: Apache-2.0
// Operations that contain tasks: submitted again if an executor lacked the program; the tasks'
// events are passed on when the operation has ended.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "connect/session.h"
#include "spark/ship/deployment.h"
#include "transit/transit_folder.h"

namespace protium {

// The event folder of a task without a gang. Spark may run such a task several times; the last
// attempt of each partition counts.
struct TaskEvents {
  std::filesystem::path folder;
  std::shared_ptr<TransitFolder> meeting = nullptr;  // If executors do not reach the folder.
};
// Those of an operation's tasks.
using EventFolders = std::vector<TaskEvents>;

// Brings all events and passes them on to `call`; call it when the operation has ended.
Status ReportEvents(const EventFolders& folders, const Call& call);

// Turns the server's error into ours: the worker's own message, or else Spark's. `doing` is the
// phrase in front.
ExplainSparkError Explainer(std::string doing, std::string address);

// Opens a stream of an operation. Calls `open` again, at most once per bundle, if it fails
// before any row because an executor lacks the program. Events are passed on at the end of the
// rows. `deployment` must outlive the stream.
Result<BatchStreamPtr> StreamWithTasks(std::function<Result<BatchStreamPtr>()> open,
                                       Deployment& deployment, EventFolders folders,
                                       const Call& call);

}  // namespace protium
