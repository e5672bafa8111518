// SPDX-License-Identifier: Apache-2.0
// Prediction: reads batches and returns the outputs of the net. Rows are processed as in training
// (Packer, CheckCategories, Predictor), so a prediction is the one that validation saw.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "pipeline/estimator_kind.h"
#include "rows/rows.h"
#include "tensor/net.h"
#include "tensor/predict.h"

namespace protium {

// Predicts for the rows of batches. A row's prediction does not depend on other rows: the predictor
// pads them to one fixed height. One thread. Stores the packed rows of one batch in memory.
class NetScorer {
 public:
  // `inputs.rows` must have no label. `net`, made for `inputs`, must outlive it.
  NetScorer(Net& net, NetInputs inputs);

  // Returns [rows, outputs] of the net, in the order of the rows; valid until the next call. NULL
  // and NaN in a column that the net reads, and unknown categories, are faults.
  Result<std::span<const float>> Predict(const arrow::RecordBatch& batch);
  // As RowPredictor::Explain(), for a kind that explains by background rows.
  Result<RowExplanations> Explain(const arrow::RecordBatch& batch, std::span<const int32_t> outputs,
                                  const ExplainBy& by);

 private:
  NetInputs inputs_;
  Predictor predictor_;
  std::vector<float> outputs_;
};

// Returns the values of a column of numbers or booleans as doubles, NaN for NULL. A missing column
// or one of another type is a fault (exit code of input).
Result<std::vector<double>> Doubles(const arrow::RecordBatch& batch, const std::string& column);

}  // namespace protium
