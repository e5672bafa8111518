// SPDX-License-Identifier: Apache-2.0
// Columns that grow cell by cell while their rows are read, in whatever order the cells come.
#pragma once

#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

// Of the columns of a schema those that turn up. All faults are of Exit::kInput.
class JsonColumns {
 public:
  explicit JsonColumns(const arrow::Schema& schema);

  // The column of that name; -1 if there is none. Keys that come in the order of the row before
  // are found without a search.
  int Find(std::string_view name);
  const arrow::Field& field(int column) const { return *columns_[size_t(column)].field; }
  // Of a column that was begun.
  arrow::ArrayBuilder& builder(int column) { return *columns_[size_t(column)].builder; }

  // Row by row. Rows are counted from 0; Begin() is called before each row and each list of cells.
  void Begin();
  // The row has a cell for the column, which the caller appends: once, and in all rows or in none.
  Status BeginCell(int column, int64_t row);
  // A fault that names a column which the row has not, and others have.
  Status EndRow(int64_t row) const;

  // Column by column: all cells of one come now, and not again.
  Status BeginColumn(int column);

  // Those columns that turned up, in the schema's order.
  Result<std::shared_ptr<arrow::RecordBatch>> Finish(int64_t rows);
  // All columns turn up: no rows have no keys to go by.
  Status BeginAll();

 private:
  struct Column {
    std::shared_ptr<arrow::Field> field;
    std::unique_ptr<arrow::ArrayBuilder> builder;  // None until the column turns up.
  };
  Status Start(Column& column);

  const arrow::Schema& schema_;
  std::vector<Column> columns_;
  int64_t begun_columns_ = 0;
  int64_t row_cells_ = 0;  // Of the row that was begun.
  // What the keys of the row before were, by their position; -1: no column.
  std::vector<int> order_;
  size_t position_ = 0;
};

}  // namespace protium
