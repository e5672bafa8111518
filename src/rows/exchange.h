// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "rows/cuts.h"
#include "rows/memory.h"
#include "rows/rows.h"

namespace protium {

// What a rank holds after the exchange: its shards one after another, and their identities.
struct OwnedShards {
  RowMemory memory;
  std::vector<ShardIdentity> identities;
};

// Collective. Brings every rank's sorted rows to the owners of their shards (first, as in
// ShardRows). Consumes `sorted`, which holds as many rows as the cuts of this rank say.
Result<OwnedShards> ExchangeRows(RowMemory sorted, int64_t width, const Cuts& cuts,
                                 const std::vector<int32_t>& first, Communicator& communicator);

}  // namespace protium
