// SPDX-License-Identifier: Apache-2.0
// What readers of brought tables share: columns that grow cell by cell, and the share of the work
// that is done.
#pragma once

#include <arrow/array/builder_base.h>

#include <memory>
#include <string>
#include <vector>

#include "format/bring.h"
#include "format/cell_type.h"
#include "format/text_source.h"

namespace protium {

// A batch in the making. One thread.
class BatchBuilder {
 public:
  static Result<BatchBuilder> Make(const SchemaPtr& schema);
  arrow::ArrayBuilder& column(size_t i) { return *columns_[i]; }
  size_t num_columns() const { return columns_.size(); }
  // Ends a row of about so many bytes; each column has got a value. True when the batch is large
  // enough to be passed on.
  bool EndRow(size_t bytes);
  int64_t rows() const { return rows_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  SchemaPtr schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns_;
  int64_t rows_ = 0;
  size_t bytes_ = 0;
};

// Tells a BringWatch how far two passes over some files have come, by their bytes.
class TwoPasses {
 public:
  static Result<TwoPasses> Over(const std::vector<std::string>& paths, BringWatch watch);
  // `source` of file number `file` is being read in pass 0 or 1.
  Status Tell(int pass, size_t file, const TextSource& source) const;

 private:
  BringWatch watch_;
  std::vector<int64_t> before_;  // Bytes of the files before each, and of all.
};

// What is said of a column's type beforehand.
struct SaidType {
  std::shared_ptr<arrow::DataType> type;  // Null: nothing.
  bool exact = false;                     // By options.types, and not only known from elsewhere.
};

// The type of a column whose cells look like `found`: the one said. Where that is merely known,
// doubles stay where whole numbers were, since some programs write 7.0 for them where values are
// missing.
CellType SettledType(const SaidType& said, CellType found);

// For each of the columns `names` what options.types or, else, `known` say. A column of
// options.types that is not there is a fault (kUsage).
Result<std::vector<SaidType>> SaidTypes(const BringSpec& spec,
                                        const std::vector<std::string>& names);

// The fault for a cell that does not have its column's type.
Status WrongCell(const std::string& column, std::string_view text, CellType type,
                 const std::string& where, const std::string& fix);

}  // namespace protium
