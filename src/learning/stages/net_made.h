// SPDX-License-Identifier: Apache-2.0
// The outputs of an ONNX net as columns: one value a row as a number, text or flag, several as a
// list.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "onnx_runtime/net.h"

namespace protium {

// One output; `width` values a row, of which 1 is no list.
struct MadeColumn {
  std::string output;  // Of the net.
  std::string column;
  int32_t element = 0;  // Of NetElement.
  int64_t width = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("output", output);
    visit("column", column);
    visit("element", element);
    visit("width", width);
  }
  std::shared_ptr<arrow::DataType> type() const;
  int64_t length() const { return width == 1 ? 0 : width; }
};

// What a computation has made of an output. Fails with Exit::kUsage for types that no column has.
Result<MadeColumn> ColumnOf(const std::string& output, const std::string& column,
                            const NetTensor& made);

// Collects an output over all computations of a batch.
class MadeRows {
 public:
  explicit MadeRows(MadeColumn column) : column_(std::move(column)) {}
  // Refuses (kInput) other types and widths than those of the column.
  Status Add(const NetTensor& tensor);
  // Rows that are not valid are NULL.
  Result<std::shared_ptr<arrow::Array>> Finish(const std::vector<bool>& valid) const;

 private:
  MadeColumn column_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<int64_t> wholes_;
  std::vector<std::string> texts_;
};

}  // namespace protium
