// SPDX-License-Identifier: Apache-2.0
// Operations with tasks in them: sent again once when an executor lacked the program, and with the
// tasks' events handed on when they ended.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "spark/connect/session.h"
#include "spark/ship/deployment.h"

namespace protium {

// The folders of events of an operation's tasks without a gang. Spark may run such a task several
// times: of each partition the last attempt counts.
using EventFolders = std::vector<std::filesystem::path>;

Status TellEvents(const EventFolders& folders, const Call& call);

// Makes the server's error one of ours: what a worker said, else Spark's own account.
ExplainSparkError Explainer(std::string doing, std::string address);

// Opens a stream of an operation; `open` may be called a second time, as long as no row came.
Result<BatchStreamPtr> StreamWithTasks(std::function<Result<BatchStreamPtr>()> open,
                                       Deployment& deployment, EventFolders folders,
                                       const Call& call);

}  // namespace protium
