// SPDX-License-Identifier: Apache-2.0
// How many rows a stream has, and the sum of their hashes, computed in the same way by Spark on the
// sending side and by the ranks that read them: if Spark ran a task again, it must have sent the
// same rows. Rows in files need no sums: Spark commits those of one try, with a checksum on every
// page.
//
// 1. A row's hash is Spark's xxhash64 (XxHash64Function) over the columns whose types IsHashed
//    allows, in their order: XXH64 of each value's little-endian bytes, seeded with the hash so
//    far, at first with 42.
// 2. Nulls are skipped; -0.0 counts as 0.0, and all NaN are one. Text is hashed as bytes, since a
//    collation would change its hash.
// 3. Only the lowest 30 bits of each hash are added, so that the sum of 2^33 rows fits a BIGINT: in
//    ANSI mode an overflow is an error.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "column/source.h"

namespace protium {

struct RowSums {
  int64_t rows = 0;
  int64_t hashes = 0;

  RowSums& operator+=(const RowSums& more) {
    rows += more.rows;
    hashes += more.hashes;
    return *this;
  }
  bool operator==(const RowSums&) const = default;
};

// Returns Spark's aggregates "rows" and "hashes" over a table of this schema, for connect::Observe.
std::vector<std::string> RowSumsInSql(const arrow::Schema& schema);

// The same for a batch.
RowSums SumRows(const arrow::RecordBatch& batch);

// Reads {"rows": n, "hashes": n}; anything else is an error.
Result<RowSums> RowSumsFromJson(const Json& json);
Json ToJson(const RowSums& sums);

}  // namespace protium
