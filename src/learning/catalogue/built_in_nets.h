// SPDX-License-Identifier: Apache-2.0
// The rows of the built-in nets.
#pragma once

#include <vector>

#include "catalogue/catalogue.h"

namespace protium {

// Built in the room deep, under the same names (deep/torch_tasks.cc).
std::vector<NetRow> BuiltInNets();

}  // namespace protium
