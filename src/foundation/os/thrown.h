// SPDX-License-Identifier: Apache-2.0
// Turns what libraries throw into faults, where exceptions must end.
#pragma once

#include "base/status.h"

namespace protium {

// Call it in a catch block: returns the fault for what was caught. Refusals of the system
// (std::thread, std::filesystem) read like those of SystemFault(), with their path; lack of memory
// is kNoRoom; anything else is a bug.
Status FaultOfThrown();

}  // namespace protium
