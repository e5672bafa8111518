// SPDX-License-Identifier: Apache-2.0
// Windows over TCP: each rank keeps its own, and others ask its service for blocks of it.
#pragma once

#include <cstdint>
#include <memory>

#include "tcp/traffic.h"

namespace protium {

// Collective, as Communicator::MakeWindow(). `number` is the same on all ranks and different for
// each of their windows: it names the window in what is read from it.
Result<std::unique_ptr<Window>> MakeTcpWindow(Traffic& traffic, uint32_t number, int64_t bytes);

}  // namespace protium
