// SPDX-License-Identifier: Apache-2.0
// A gang of one: keeps the promises of the other backends with nobody to wait for.
#pragma once

#include <memory>

#include "collective/communicator.h"

namespace protium {

// Returns a world of one. Every operation returns at once.
std::unique_ptr<Communicator> MakeSelfCommunicator();

}  // namespace protium
