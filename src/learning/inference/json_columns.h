// SPDX-License-Identifier: Apache-2.0
// Columns that grow cell by cell while rows are read, in whatever order the cells come.
#pragma once

#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

// Collects those columns of a schema that occur. All faults are of Exit::kInput.
class JsonColumns {
 public:
  explicit JsonColumns(const arrow::Schema& schema);

  // The column of that name; -1 if there is none. Keys in the same order as in the previous row are
  // found without a search.
  int Find(std::string_view name);
  const arrow::Field& field(int column) const { return *columns_[size_t(column)].field; }
  // The builder of a column that was begun.
  arrow::ArrayBuilder& builder(int column) { return *columns_[size_t(column)].builder; }

  // For reading row by row. Rows are counted from 0; call Begin() before each row and each list of
  // cells.
  void Begin();
  // Announces a cell of the column in this row, which the caller then appends. Fails for a second
  // cell in the row, and for a column that not all rows have.
  Status BeginCell(int column, int64_t row);
  // Fails, naming the column, if the row lacks a column that others have.
  Status EndRow(int64_t row) const;

  // For reading column by column: all cells of this column follow. Fails if it was begun before.
  Status BeginColumn(int column);

  // Returns the columns that occurred, in the schema's order.
  Result<std::shared_ptr<arrow::RecordBatch>> Finish(int64_t rows);
  // Begins all columns: without rows there are no keys to go by.
  Status BeginAll();

 private:
  struct Column {
    std::shared_ptr<arrow::Field> field;
    std::unique_ptr<arrow::ArrayBuilder> builder;  // Null until the column occurs.
  };
  Status Start(Column& column);

  const arrow::Schema& schema_;
  std::vector<Column> columns_;
  int64_t begun_columns_ = 0;
  int64_t row_cells_ = 0;  // Of the row that was begun.
  // The columns of the previous row's keys, by position; -1: no column.
  std::vector<int> order_;
  size_t position_ = 0;
};

}  // namespace protium
