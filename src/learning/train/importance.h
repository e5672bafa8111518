// SPDX-License-Identifier: Apache-2.0
// How much a prediction owes to each column: the permutation importance of Breiman ("Random
// Forests", 2001, section 10). The values of a column change places among the rows, so that they
// say nothing about their row any more, and the metric is measured anew.
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
  // Of the rows that are looked at; unset: 1000, or as many as make 200,000 predictions, but at
  // least 100. 0: none.
  std::optional<int64_t> rows;
  int64_t seed = 0;
};

// Collective. {"metric", "value", "rows", "columns": [{"column", "value", "worse"}, ...]}: the
// metric of the rows as they are; then for each column that the net reads the metric without it,
// and by how much that is worse, largest first. Negative: the metric was better without it. Columns
// are as the net sees them, behind the stages; a column of lists is permuted as a whole. Null if no
// rows are looked at or the metric has no value.
//
// Values change places within a shard, and every shard gives its first rows, which are a sample, as
// rows lie in the order of hashes (docs/rows.md). So the figures are the same for any number of
// ranks. Takes (1 + columns) x rows predictions, and the sampled rows twice in memory.
Result<Json> MeasureImportance(const ImportanceSpec& spec, const ShardedRows& rows,
                               Validation& validation, Communicator& communicator);

}  // namespace protium
