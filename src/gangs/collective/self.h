// SPDX-License-Identifier: Apache-2.0
// A gang of one: what the other backends promise, without anybody to wait for.
#pragma once

#include <memory>

#include "collective/communicator.h"

namespace protium {

// A world of one. Every operation is immediate.
std::unique_ptr<Communicator> MakeSelfCommunicator();

}  // namespace protium
