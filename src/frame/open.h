// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "frame/session_state.h"

namespace protium {

// Opens the engine that options.engine names: "local", "local[N]", "sc://host:15002". The settings
// engine.spark.* go over options.spark.
Result<std::unique_ptr<Engine>> OpenEngine(const SessionOptions& options);

}  // namespace protium
