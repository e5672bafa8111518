// SPDX-License-Identifier: Apache-2.0
// What the columns of a table hold, found in one pass over its rows: for `protium inspect`, and for
// the job file that `protium init` proposes.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "inspect/place.h"
#include "protium/csv.h"
#include "protium/stream.h"

namespace protium {

// A column of a table. Values are texts as CellText() writes them, at most 40 columns wide.
struct ColumnProfile {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  int64_t nulls = 0;     // NaN included.
  int64_t distinct = 0;  // Values other than NULL; an estimate within about 5 % if not exact.
  bool exact = true;     // Whether `distinct` is exact.
  // For numbers, dates and times, and for texts by their bytes; empty: no value, or a type without
  // an order.
  std::string least;
  std::string median;  // Of a sample if there are more than 100,000 values; not for texts.
  std::string greatest;
  // For dates and times: whether the rows are in their order, except for one in a hundred; and the
  // value that about a fifth of the rows reach, empty if no value divides them so.
  bool ascending = false;
  std::string last_fifth;
  // The most frequent values first, with their counts; at most five. None if there are too many
  // values to count them all, or each occurs once.
  std::vector<std::pair<std::string, int64_t>> top;
  std::string same_as;  // An earlier column that is equal in every row; empty: none.
};

struct TableProfile {
  int64_t rows = 0;
  std::vector<ColumnProfile> columns;
  std::shared_ptr<arrow::RecordBatch> head;  // The first rows.
  // What the reader reported: rows left out, objects stored as text. Only set by ProfilePlace().
  std::vector<std::string> notes;

  // Returns nullptr if there is no column of that name.
  const ColumnProfile* Find(const std::string& column) const;
};

// Reads the stream to its end. Memory does not depend on the number of rows: a few megabytes per
// column. `head`: how many rows to retain.
Result<TableProfile> ProfileRows(BatchStream& rows, int64_t head);

// The same for the table at a place (inspect/folder_tables.h), read by a session without a run
// folder, so that nothing is left behind.
Result<TableProfile> ProfilePlace(const TypedPlace& place, const CsvOptions& csv, int64_t head);

// Returns why a column is useless for learning: "is constant", "is empty", "equals x in every row",
// "has another value in every row: an id?"; empty for all other columns.
std::string WhyUseless(const TableProfile& table, const ColumnProfile& column);

Json ProfileToJson(const TableProfile& table);

}  // namespace protium
