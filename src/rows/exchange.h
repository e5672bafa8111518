// SPDX-License-Identifier: Apache-2.0
// Brings rows to the ranks that own their shards: the only time that rows leave the rank that
// packed them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "rows/cuts.h"
#include "rows/row_store.h"

namespace protium {

// What a rank holds after the exchange: its shards one after another, and their identities.
struct OwnedShards {
  std::unique_ptr<RowStore> store;
  std::vector<ShardIdentity> identities;
};

// Collective. Brings every rank's sorted rows to the owners of their shards (first, as in
// ShardRows). Consumes `sorted`, which holds as many rows as the cuts of this rank say. Beside the
// rows themselves it takes about a sixteenth of them at a time.
Result<OwnedShards> ExchangeRows(std::unique_ptr<RowStore> sorted, const Cuts& cuts,
                                 const std::vector<int32_t>& first, Communicator& communicator);

}  // namespace protium
