// SPDX-License-Identifier: Apache-2.0
// Which rows of its training a model keeps.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "rows/rows.h"

namespace protium {

// Returns the packed rows at the positions floor(i * N / n) of all N training rows in their order,
// the same on every rank, with n the smaller of N and kMostBackgroundRows. The order is that of
// hashes, so they are a random sample that depends on the rows alone.
//
// If ranks share all rows (`all_here`) each reads them by itself. Otherwise collective.
Result<std::vector<std::byte>> ChooseBackground(const ShardedRows& rows, bool all_here,
                                                Communicator& communicator);

}  // namespace protium
