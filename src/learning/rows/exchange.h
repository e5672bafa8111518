// SPDX-License-Identifier: Apache-2.0
// Sends rows to the ranks that own their shards; rows leave the rank that packed them only here.
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

struct ExchangePlan {
  const std::vector<int32_t>& first;  // The owners of shards, as in ShardRows().
  int64_t pieces = 1;                 // Into which each shard is cut; the same on all ranks.
  const RowRoom& room;                // For the owned rows.
};

// Collective. Sends every rank's sorted rows to the owners of their shards. Consumes `sorted`;
// `cuts` cut all rows into plan.pieces parts per shard. Besides the rows themselves, takes about a
// sixteenth of them at a time, and memory for those rows of a piece that go to others.
Result<OwnedShards> ExchangeRows(std::unique_ptr<RowStore> sorted, const Cuts& cuts,
                                 const ExchangePlan& plan, Communicator& communicator);

}  // namespace protium
