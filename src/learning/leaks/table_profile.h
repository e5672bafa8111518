// SPDX-License-Identifier: Apache-2.0
// What the columns of a table hold, found in one pass over its rows: for people, for the job file
// that `protium init` proposes, and for the search for target leaks.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "protium/stream.h"

namespace protium {

inline constexpr int64_t kRareBelow = 5;  // Rows.
// A column of texts with so many values or fewer may be one of categories.
inline constexpr int64_t kMostCategories = 1000;
// So few are taken even if each value has only a row or two.
inline constexpr int64_t kFewCategories = 20;
inline constexpr int64_t kRowsOfCategory = 3;  // On average; with fewer, rows are learned by heart.

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
  // For whole numbers, dates and times: whether the rows are in their order, except for one in a
  // hundred.
  bool ascending = false;
  // For dates and times: the value that about a fifth of the rows reach, empty if no value divides
  // them so.
  std::string last_fifth;
  double words = 0;           // For texts: how many each has on average, parted by blanks.
  int64_t leading_zeros = 0;  // For texts: values of digits alone that begin with 0, as "01067".
  // The most frequent values first, with their counts; at most five. None if there are too many
  // values to count them all, or each occurs once.
  std::vector<std::pair<std::string, int64_t>> top;
  int64_t rare = 0;     // Different values in fewer than kRareBelow rows; 0 if there are no counts.
  std::string same_as;  // An earlier column that is equal in every row; empty: none.
};

struct TableProfile {
  int64_t rows = 0;
  std::vector<ColumnProfile> columns;
  std::shared_ptr<arrow::RecordBatch> head;  // The first rows.
  // What the reader reported: rows left out, objects stored as text. Only set by
  // ProfilePlace() (inspect/profile.h).
  std::vector<std::string> notes;

  // Returns nullptr if there is no column of that name.
  const ColumnProfile* Find(const std::string& column) const;
};

// Reads the stream to its end. Memory does not depend on the number of rows: a few megabytes per
// column. `head`: how many rows to retain.
Result<TableProfile> ProfileRows(BatchStream& rows, int64_t head);

// A hash of a cell's value: equal values have equal hashes, also -0.0 and 0.0. NULL and NaN are 0.
uint64_t CellHash(const arrow::Array& column, int64_t row);

// Whether a name ends as those of ids do: "id", "patient_id", "userId".
bool IsCalledId(const std::string& name);

// Whether the column holds texts of several words, too many to be categories.
bool HoldsSentences(const TableProfile& table, const ColumnProfile& column);

// Returns why a column is useless for learning: "is constant", "is empty", "equals x in every row",
// "has a different value in every row: an id?"; empty for all other columns, of which texts of
// several words may differ in every row. Whole numbers that differ in every row are ids if they are
// called so, count up, or are spread like hashes; others, such as populations, are amounts.
std::string WhyUseless(const TableProfile& table, const ColumnProfile& column);

Json ProfileToJson(const TableProfile& table);

}  // namespace protium
