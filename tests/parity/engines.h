// SPDX-License-Identifier: Apache-2.0
// The engines that the suite runs on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace protium {

// The addresses in the environment's PROTIUM_ENGINES, separated by commas; without it, "local".
std::vector<std::string> EngineAddresses();

Result<std::unique_ptr<Engine>> EngineAt(const std::string& address);

}  // namespace protium
