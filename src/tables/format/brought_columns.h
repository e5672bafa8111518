// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of brought tables: columns that grow cell by cell, and progress reports.
#pragma once

#include <arrow/array/builder_base.h>

#include <memory>
#include <string>
#include <vector>

#include "format/bring.h"
#include "format/cell_type.h"
#include "format/text_source.h"

namespace protium {

// Builds a batch. One thread.
class BatchBuilder {
 public:
  static Result<BatchBuilder> Make(const SchemaPtr& schema);
  arrow::ArrayBuilder& column(size_t i) { return *columns_[i]; }
  size_t num_columns() const { return columns_.size(); }
  // Ends a row of about `bytes` bytes, after each column got a value. Returns true when the batch
  // is large enough to be passed on.
  bool EndRow(size_t bytes);
  int64_t rows() const { return rows_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  SchemaPtr schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns_;
  int64_t rows_ = 0;
  size_t bytes_ = 0;
};

// Reports to a BringWatch the progress of two passes over some files, by their bytes.
class TwoPasses {
 public:
  static Result<TwoPasses> Over(const std::vector<std::string>& paths, BringWatch watch);
  // Reports that `source`, file number `file`, is being read in pass 0 or 1.
  Status Report(int pass, size_t file, const TextSource& source) const;

 private:
  BringWatch watch_;
  std::vector<int64_t> before_;  // Bytes of the files before each, and of all.
};

// What is known of a column's type in advance.
struct SaidType {
  std::shared_ptr<arrow::DataType> type;  // Null: unknown.
  bool exact = false;                     // Set by options.types, not only known from elsewhere.
};

// Returns the type of a column whose cells look like `found`: the one in `said`, if any. If that is
// not exact, doubles stay doubles although whole numbers were expected, since some programs write
// 7.0 for 7 if values are missing.
CellType SettledType(const SaidType& said, CellType found);

// Returns, for each of the columns `names`, what options.types or else `known` say. A column of
// options.types that does not exist is a fault (kUsage).
Result<std::vector<SaidType>> SaidTypes(const BringSpec& spec,
                                        const std::vector<std::string>& names);

// Returns the fault for a cell that does not fit its column's type.
Status WrongCell(const std::string& column, std::string_view text, CellType type,
                 const std::string& where, const std::string& fix);

}  // namespace protium
