// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"
#include "frame/session.h"

namespace protium {

// Opens the engine that options.engine names: "local", "local[N]", "sc://host:15002".
Result<std::unique_ptr<Engine>> OpenEngine(const SessionOptions& options);

}  // namespace protium
