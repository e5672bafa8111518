// SPDX-License-Identifier: Apache-2.0
// Sums of subtrees over TCP.
#pragma once

#include <memory>

#include "tcp/traffic.h"

namespace protium {

// Collective, as Communicator::MakeTree().
Result<std::unique_ptr<SumTree>> MakeTcpTree(std::shared_ptr<Traffic> traffic,
                                             const TreeSpec& spec);

}  // namespace protium
