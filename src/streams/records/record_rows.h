// SPDX-License-Identifier: Apache-2.0
// Makes typed rows of texts that each hold one event: a JSON object, or the cells of a line of CSV.
// An event that does not fit is refused by itself; what was read before it stays.
#pragma once

#include <arrow/record_batch.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/brought_columns.h"
#include "format/cell_type.h"
#include "format/json_scan.h"

namespace protium {

// Returns the columns with the types that events have (format/cell_type.h): int64, double, bool,
// date32, timestamps in microseconds, and text for everything else; lists of these stay lists.
SchemaPtr EventColumns(const arrow::Schema& columns);

// One thread.
class RecordRows {
 public:
  // `columns` are EventColumns().
  static Result<RecordRows> Make(SchemaPtr columns);

  const SchemaPtr& columns() const { return columns_; }

  // Adds a row with cells[i] in column i; nullopt is NULL. Refuses (Exit::kInput), and adds
  // nothing, if a cell does not fit its column.
  Status AddCells(std::span<const std::optional<std::string_view>> cells);

  // Adds the row that a JSON object (RFC 8259) in UTF-8 holds: a key that it lacks is NULL, keys
  // that are no column are skipped, and the first of them is returned, empty if there is none.
  // Refuses (Exit::kInput), and adds nothing, if the text is no object, has a column twice, a value
  // does not fit or, with `known_only`, a key is no column.
  Result<std::string> AddObject(std::string_view object, bool known_only = false);

  int64_t rows() const { return builder_.rows(); }
  // Returns the rows so far, and begins anew.
  Result<std::shared_ptr<arrow::RecordBatch>> Finish() { return builder_.Finish(); }

 private:
  struct Column {
    std::string name;
    CellType type = CellType::kText;  // Of a list: of its items.
    bool list = false;
  };
  RecordRows(SchemaPtr columns, BatchBuilder builder);

  Status ReadObject(std::string_view object, std::string& unknown);
  Status CheckValue(const Column& column, const JsonValue& value) const;
  Status AppendScalar(CellType type, const JsonValue& value, arrow::ArrayBuilder& builder);
  Status AppendValue(size_t column, const JsonValue& value);

  SchemaPtr columns_;
  BatchBuilder builder_;
  std::vector<Column> each_;
  std::unordered_map<std::string, size_t> places_;  // Of names in each_.
  // The values of the object that is being read; as long as each_.
  std::vector<std::optional<JsonValue>> values_;
};

}  // namespace protium
