// SPDX-License-Identifier: Apache-2.0
// How an elastic gang keeps the rows of its ranks for all of them, those that come later too.
#pragma once

#include "base/status.h"
#include "gang/membership.h"
#include "tasks/rank_rows.h"

namespace protium {

// Gives the rows into the gang's keeping and takes all ranks' in return: any shard may be owned
// afterwards. Rows on the disk stay in the files they are in, which all ranks read.
Result<RankRows> ShareRankRows(RankRows own, const TrainConfig& config, GangMembership& gang);

// The same rows for a newcomer, which has packed none. `schema` is theirs.
Result<RankRows> JoinRankRows(const RowSchema& schema, const TrainConfig& config,
                              GangMembership& gang);

}  // namespace protium
