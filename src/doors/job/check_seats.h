// SPDX-License-Identifier: Apache-2.0
// Whether the engine at an address could ever seat a gang, without opening it.
#pragma once

#include <string>

#include "base/status.h"
#include "plan/node.h"

namespace protium {

// Fails with Exit::kUsage, below "gang", for a gang that this machine can never seat, or for an
// invalid address; `discovery` is the script that the job names for devices. A gang without workers
// counts as no gang. Returns OK if only the engine knows: on a cluster, and if a script reports
// devices.
Status CheckSeats(const std::string& address, const std::string& discovery, const GangSpec& gang);

}  // namespace protium
