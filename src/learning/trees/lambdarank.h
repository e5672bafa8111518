// SPDX-License-Identifier: Apache-2.0
// LambdaRank (Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", 2010, section 4 and
// 7), as the loss of trees. Rows of a group are ranked by their margins, equal ones by key. A row
// of relevance r at place p (from 0) adds (2^r - 1) / log2(2 + p) to the group's DCG; NDCG is the
// DCG divided by that of the best order, of the first `top` rows.
//
// 1. Every pair of rows of different relevance, of which the upper row has a place below `top`,
//    adds p d to the gradient of the less relevant row, -p d to that of the other and p (1 - p) d
//    to both hessians: p = 1 / (1 + exp(s)) where s is the more relevant row's margin less the
//    other's; d is the change of NDCG if they swapped places.
// 2. d is divided by 0.01 + |s|, unless all margins are equal, and all of a group is multiplied by
//    log2(1 + t) / t, t being the sum of 2 p d. So groups of many pairs do not outweigh others, as
//    in LightGBM and XGBoost. All is multiplied by 16, which brings hessians near to those of other
//    losses: `min_weight` and `l2` would otherwise bear on leaves of hundreds of rows.
// 3. Sums are made in the order of places, so their bits depend on the rows alone. Rows that are
//    equal in all columns have one key: which of them comes first does not matter, since their
//    gradients are exchanged with them.
//
// Rows of a group may lie on any ranks. Once, all ranks gather the groups, keys and labels of all
// rows: 20 bytes a row. In each round they gather all margins; each computes a part of the groups,
// and all gather the results: 16 bytes a row. What stays is 24 bytes for each own row.
#pragma once

#include <memory>

#include "base/status.h"
#include "protium/losses.h"
#include "trees/gradient.h"

namespace protium {

// Prepare() fails with Exit::kInput for labels other than whole numbers from 0 to 31, and where
// rows of one group are both among training and validation rows. LossOf() is 1 less the NDCG of the
// row's group, of its first `top` rows.
std::unique_ptr<TreeLoss> MakeLambdarank(const LambdarankOptions& options);

}  // namespace protium
