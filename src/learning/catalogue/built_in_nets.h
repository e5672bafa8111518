// SPDX-License-Identifier: Apache-2.0
// The rows of the built-in nets.
#pragma once

#include <vector>

#include "catalogue/catalogue.h"

namespace protium {

// Workers build the nets under the same names: nets/kernel_net.h, deep/torch_tasks.cc.
std::vector<NetRow> BuiltInNets();

}  // namespace protium
