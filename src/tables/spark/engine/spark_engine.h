// SPDX-License-Identifier: Apache-2.0
// Plans on Apache Spark 4, over Spark Connect: SQL as SQL, tasks in this program's own workers on
// the executors.
#pragma once

#include <memory>

#include "engine/library.h"

namespace protium {

// Reaches the server, within seconds. Tables and events on their way lie in
// <request.folder>/spark-<pid>, which driver and executors must both reach; the engine removes it
// at its end.
Result<std::unique_ptr<Engine>> OpenSparkEngine(const EngineRequest& request);

}  // namespace protium
