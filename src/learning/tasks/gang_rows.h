// SPDX-License-Identifier: Apache-2.0
// How an elastic gang stores the rows of its ranks for all of them, including those that join
// later.
#pragma once

#include <vector>

#include "base/status.h"
#include "gang/membership.h"
#include "tasks/rank_rows.h"

namespace protium {

// What all ranks have shared: their rows and, by first rank, what else they gave.
struct GangRows {
  RankRows rows;
  std::vector<SharedPart> more;
};

// Passes the rows to the gang and gets those of all ranks: the rank can own any shard afterwards.
// Rows on the disk stay in their files, which all ranks read.
Result<GangRows> ShareRankRows(RankRows own, SharedPart more, const TrainConfig& config,
                               GangMembership& gang);

// The same for a newcomer, which has packed no rows. `schema` is that of the gang's rows.
Result<GangRows> JoinRankRows(const RowSchema& schema, const TrainConfig& config,
                              GangMembership& gang);

// Collective, except for a newcomer. Loads the rows that a rank learns from, of the layout
// `inputs.rows` (MakeRankRows()); an elastic gang, `gang`, shares them among all ranks, and one
// whose servers take gradients as they come those of training.
Result<RankRows> LoadRankRows(const TrainConfig& config, const NetInputs& inputs,
                              TaskContext& context, GangMembership* gang);

}  // namespace protium
