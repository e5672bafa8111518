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
#include "protium/csv.h"
#include "protium/stream.h"

namespace protium {

// A column of a table. Texts of values are as CellText() has them, at most 40 columns wide.
struct ColumnProfile {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  int64_t nulls = 0;     // NaN included.
  int64_t distinct = 0;  // Values other than NULL; an estimate within about 5 % where not exact.
  bool exact = true;     // `distinct` is.
  // Of numbers, dates and times, and of texts by their bytes; empty: no value, or a type without
  // order.
  std::string least;
  std::string median;  // Of a sample where there are more than 100,000 values; not of texts.
  std::string greatest;
  // Of dates and times: whether the rows stand in their order, but for one in a hundred; and the
  // value that about a fifth of the rows reach, empty where no value parts them so.
  bool ascending = false;
  std::string last_fifth;
  // The most frequent first, with their counts; at most five. None where values are too many to
  // count them all, or each occurs once.
  std::vector<std::pair<std::string, int64_t>> top;
  std::string same_as;  // An earlier column that is equal in every row; empty: none.
};

struct TableProfile {
  int64_t rows = 0;
  std::vector<ColumnProfile> columns;
  std::shared_ptr<arrow::RecordBatch> head;  // The first rows.
  // What the reader told: rows left out, objects kept as text. ProfilePlace() alone has them.
  std::vector<std::string> notes;

  // nullptr: there is none of that name.
  const ColumnProfile* Find(const std::string& column) const;
};

// Reads the stream to its end. Memory does not depend on the number of rows: a few megabytes for
// each column. `head`: how many rows to keep.
Result<TableProfile> ProfileRows(BatchStream& rows, int64_t head);

// The same of the table at a place (inspect/folder_tables.h), which is read by a session without
// a run folder, so that nothing is left behind.
Result<TableProfile> ProfilePlace(const std::filesystem::path& place, const CsvOptions& csv,
                                  int64_t head);

// What makes a column of no use to learn from: "is constant", "is empty", "equals x in every row",
// "has another value in every row: an id?"; empty for all others.
std::string WhyUseless(const TableProfile& table, const ColumnProfile& column);

Json ProfileToJson(const TableProfile& table);

}  // namespace protium
