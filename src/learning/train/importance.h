// SPDX-License-Identifier: Apache-2.0
// How much predictions depend on each column: the permutation importance of Breiman ("Random
// Forests", 2001, section 10). The values of a column are permuted among the rows, so that they say
// nothing about their row any more, and the metric is measured again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "rows/rows.h"
#include "train/validation.h"

namespace protium {

struct ImportanceSpec {
  MetricSpec metric;
  // How many rows are used; unset: 1000, or as many as make 200,000 predictions, but at least 100.
  // 0: none.
  std::optional<int64_t> rows;
  int64_t seed = 0;
};

// Collective. Returns {"metric", "value", "rows", "columns": [{"column", "value", "worse"}, ...]}:
// the metric of the unchanged rows; then for each column that the model reads the metric without
// it, and by how much that is worse, largest first. Negative: the metric was better without it.
// Columns are those the model reads, after the stages; a column of lists is permuted as a whole.
// Returns null if no rows are used or the metric has no value.
//
// Every shard gives its first rows; these are a random sample, since rows are ordered by hash
// (docs/rows.md). Of rows in groups, whole groups are taken, by their hash, and the number of rows
// is about that. Values are permuted among the sampled rows of all shards, since one shard of a
// small table has too few to tell anything. So the figures are the same for any number of ranks.
// Takes (1 + columns) x rows predictions, and in memory the rank's own sampled rows twice and one
// column of all of them.
Result<Json> MeasureImportance(const ImportanceSpec& spec, const ShardedRows& rows,
                               Validation& validation, Communicator& communicator);

}  // namespace protium
