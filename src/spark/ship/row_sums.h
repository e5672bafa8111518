// SPDX-License-Identifier: Apache-2.0
// How many rows a stream has and the sum of their hashes, counted alike by Spark on the sending
// side and by the ranks that read them: tasks that Spark tried again must not have given other
// rows. Rows in files need none: Spark commits those of one try, with a checksum on every page.
//
// A row's hash is Spark's xxhash64 over the columns that the schema's types allow, in order, with
// text as bytes (a collation would change its hash): XXH64 of each value's little-endian bytes with
// the hash so far as seed, 42 at first; nulls are passed over; -0.0 counts as 0.0 and all NaN are
// one. Of each hash the lowest 30 bits are added up, so that 2^33 rows fit.
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

// Spark's aggregates "rows" and "hashes" over a table of this schema.
std::vector<std::string> RowSumsInSql(const arrow::Schema& schema);

RowSums SumRows(const arrow::RecordBatch& batch);

// {"rows": n, "hashes": n}; anything else is an error.
Result<RowSums> RowSumsFromJson(const Json& json);
Json ToJson(const RowSums& sums);

}  // namespace protium
