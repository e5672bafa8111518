// SPDX-License-Identifier: Apache-2.0
// The rows of the built-in nets.
#pragma once

#include <vector>

#include "catalogue/catalogue.h"

namespace protium {

// Workers make them, under the same names: nets/kernel_net.h, deep/torch_tasks.cc.
std::vector<NetRow> BuiltInNets();

}  // namespace protium
