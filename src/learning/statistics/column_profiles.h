// SPDX-License-Identifier: Apache-2.0
// A state (state.h): what the columns of a table contain, for people. It is a function of the rows
// as a multiset, so any partitioning gives the same result, and its memory is bounded.
//
// 1. Always exact: rows, missing cells, minimum, maximum, mean.
// 2. Distinct values of a column are counted by their hashes (64 bits), of which those below a
//    limit are retained: 2^64 at first, halved whenever more than kMostDistinct are retained. Up to
//    kMostDistinct the number is exact; beyond, the retained ones times 2 for each halving is an
//    estimate, whose standard error is 2.2 to 3.1 %.
// 3. Rows are sampled in the same way, by the hash of all their cells: every row of a table of up
//    to kMostRows distinct ones, a uniform sample of a larger one. Everything else is computed from
//    these.
#pragma once

#include <arrow/type_fwd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/exact_sum.h"
#include "statistics/number_counts.h"

namespace protium {

// A sampled cell: missing (NULL or NaN), a number, or a text, of which the first 64 bytes are
// stored.
using ProfileCell = std::variant<std::monostate, double, std::string>;

// A limit below which 64-bit hashes are retained: 2^64, divided by 2 for each level.
class HashLimit {
 public:
  // Whether this hash is retained.
  bool Takes(uint64_t hash) const { return level_ == 0 || hash >> (64 - level_) == 0; }
  int level() const { return level_; }
  // The next lower limit.
  void Halve() { ++level_; }
  void AtLeast(int level) { level_ = std::max(level_, level); }

 private:
  int level_ = 0;
};

class ColumnProfiles {
 public:
  static constexpr size_t kMostRows = 1024, kMostDistinct = 2048;

  struct Column {
    int64_t missing = 0;
    int64_t infinite = 0;  // Numbers counted as missing in the following members.
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    ExactSum sum;
    std::vector<uint64_t> hashes;  // A hash table with open addressing; 0: free.
    size_t distinct = 0;           // In it.
    HashLimit limit;
  };
  struct Row {
    int64_t count = 0;
    std::vector<ProfileCell> cells;
  };

  // Numbers, booleans, texts, dates and times of day are profiled; for other columns only missing
  // cells are counted. Times are seconds since 1970, UTC.
  Status Add(std::span<const std::shared_ptr<arrow::Array>> columns);
  // Emits one row with the columns, and one for each sampled row.
  Status Emit(const EmitRow& emit) const;
  // Adds a row that Emit() emitted, perhaps in another process; a damaged one is Invalid.
  Status Merge(const StateRow& row);

  int64_t rows() const { return rows_; }
  const std::vector<Column>& columns() const { return columns_; }
  // By hash; all rows if sampled() is false.
  const std::map<uint64_t, Row>& sample() const { return sample_; }
  bool sampled() const { return limit_.level() > 0; }

 private:
  void AddDistinct(Column& column, uint64_t hash);
  static void Grow(Column& column);
  void AddRow(uint64_t hash, int64_t count, std::vector<ProfileCell> cells);
  void Shrink();
  Status MergeColumns(const Json& json);
  Status MergeRow(const Json& json, int64_t count);

  int64_t rows_ = 0;
  std::vector<Column> columns_;
  std::map<uint64_t, Row> sample_;
  HashLimit limit_;
};

// How a column of this type is profiled: as "number", "text", "time", or "other".
std::string ProfileKind(const arrow::DataType& type);

}  // namespace protium
