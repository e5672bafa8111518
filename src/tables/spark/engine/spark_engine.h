// SPDX-License-Identifier: Apache-2.0
// Runs plans on Apache Spark 4, over Spark Connect: SQL as SQL, tasks in this program's own workers
// on the executors.
#pragma once

#include <memory>

#include "engine/library.h"
#include "engine/stream_query.h"

namespace protium {

// Connects to the server, within seconds. Tables and events in transit are stored in
// <request.folder>/spark-<pid>, which driver and executors must both reach; the engine removes it
// when it is destroyed.
Result<std::unique_ptr<Engine>> OpenSparkEngine(const EngineRequest& request);

// As StartStreamQuery(), on an engine of OpenSparkEngine().
Result<std::unique_ptr<StreamQuery>> FollowOnSpark(Engine& engine, const StreamQuerySpec& spec,
                                                   const Call& call);

}  // namespace protium
