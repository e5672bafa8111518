// SPDX-License-Identifier: Apache-2.0
// The rows of one rank of a training, and how a gang that bends keeps them for all its ranks, those
// that come later too.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "gang/membership.h"
#include "rows/rows.h"

namespace protium {

// What a rank learns from and what it validates on.
struct RankRows {
  std::unique_ptr<ShardedRows> train;
  std::unique_ptr<ShardedRows> held_out;  // nullptr without validation.
  int64_t unseen = 0;      // Over all ranks: held out, of a class that was never learned.
  int64_t disk_bytes = 0;  // Over all ranks.
};

// Gives the rows into the gang's keeping and takes all ranks' in return: any shard may be owned
// afterwards. Rows that lie on disks cannot be shared.
Result<RankRows> ShareRankRows(RankRows own, Membership& gang);

// The same rows for a newcomer, which has packed none. `schema` is theirs.
Result<RankRows> JoinRankRows(const RowSchema& schema, Membership& gang);

}  // namespace protium
