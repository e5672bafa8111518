// SPDX-License-Identifier: Apache-2.0
// Prediction: batches in, the outputs of the net out. Rows take the same path as in training
// (Packer, CheckCategories, Predictor), so a prediction is the one that validation saw.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "rows/rows.h"
#include "tensor/net.h"
#include "tensor/predict.h"

namespace protium {

// Predicts for the rows of batches. A row's prediction does not depend on the rows beside it: the
// predictor pads them to one fixed height. One thread. Holds the packed rows of one batch in
// memory.
class NetScorer {
 public:
  // `inputs.rows` without a label to read. `net`, made for `inputs`, must outlive it.
  NetScorer(Net& net, NetInputs inputs);

  // [rows, outputs] of the net, in the order of the rows; valid until the next call. NULL and NaN
  // in a column that the net reads, and categories it does not know, are faults.
  Result<std::span<const float>> Predict(const arrow::RecordBatch& batch);

 private:
  NetInputs inputs_;
  Predictor predictor_;
  std::vector<float> outputs_;
};

// The values of a column of numbers or booleans as doubles, NaN where NULL. A missing column or one
// of another type is a fault (exit code of input).
Result<std::vector<double>> Doubles(const arrow::RecordBatch& batch, const std::string& column);

}  // namespace protium
