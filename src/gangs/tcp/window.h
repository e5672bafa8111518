// SPDX-License-Identifier: Apache-2.0
// Windows over TCP: each rank holds its own, and others request blocks of it from its service.
#pragma once

#include <cstdint>
#include <memory>

#include "tcp/traffic.h"

namespace protium {

// Collective, as Communicator::MakeWindow(). `number` is the same on all ranks and different for
// each of their windows: requests identify the window by it.
Result<std::unique_ptr<Window>> MakeTcpWindow(Traffic& traffic, uint32_t number, int64_t bytes);

}  // namespace protium
