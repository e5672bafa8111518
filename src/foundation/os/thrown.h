// SPDX-License-Identifier: Apache-2.0
// What libraries throw, as faults: for the walls where exceptions end.
#pragma once

#include "base/status.h"

namespace protium {

// Called in a catch block: the fault for what was caught. What the system refused (std::thread,
// std::filesystem) is told as SystemFault() tells it, with its path; memory that is not there is
// kNoRoom; anything else is a bug.
Status FaultOfThrown();

}  // namespace protium
