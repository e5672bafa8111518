// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "rows/rows.h"
#include "tensor/net.h"
#include "tensor/predict.h"

namespace protium {

// Predicts for the rows of batches, whatever rows stand beside them. One thread.
class Scorer {
 public:
  // `layout` without a label to read; its label scale is undone. `cardinalities` of its categories.
  // `net` must outlive it.
  Scorer(Net& net, RowLayout layout, std::vector<int64_t> cardinalities);

  // One prediction per row, in the label's own units, in the order of the rows. NULL and NaN in a
  // column that the net reads, and categories it does not know, are faults.
  Result<std::vector<double>> Predict(const arrow::RecordBatch& batch);

 private:
  RowLayout layout_;
  std::vector<int64_t> cardinalities_;
  RowShape shape_;
  Predictor predictor_;
  std::vector<float> outputs_;
};

// The values of a column of numbers or booleans, NaN where NULL.
Result<std::vector<double>> Doubles(const arrow::RecordBatch& batch, const std::string& column);

}  // namespace protium
