// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "frame/session_state.h"

namespace protium {

// Opens the engine that options.engine names: "local", "local[N]", "sc://host:15002". Settings
// below engine.spark go over options.engine_options where that engine is Spark.
Result<std::unique_ptr<Engine>> OpenEngine(const SessionOptions& options);

}  // namespace protium
