// SPDX-License-Identifier: Apache-2.0
// Whether the engine at an address could ever seat a gang, told without opening it.
#pragma once

#include <string>

#include "base/status.h"
#include "plan/node.h"

namespace protium {

// A fault of Exit::kUsage, below "gang", for a gang that this machine can never seat, or for an
// address that is none; `discovery` is the script that the job names for devices. A gang without
// workers is none. OK where only the engine knows: on a cluster, and where a script tells of
// devices.
Status CheckSeats(const std::string& address, const std::string& discovery, const GangSpec& gang);

}  // namespace protium
