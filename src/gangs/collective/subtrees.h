// SPDX-License-Identifier: Apache-2.0
// The halving of [0, leaves), and who owns which part of it: docs/rows.md, "The sum over shards".
#pragma once

#include <cstdint>

#include "base/status.h"
#include "collective/communicator.h"

namespace protium {

// Refuses a spec whose `first` does not assign all leaves to `world` ranks in order.
Status CheckTreeSpec(const TreeSpec& spec, int32_t world);

// Returns the text by which ranks compare their specs.
std::string TreeSpecText(const TreeSpec& spec);

}  // namespace protium
