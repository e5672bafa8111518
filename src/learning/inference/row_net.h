// SPDX-License-Identifier: Apache-2.0
// Rows through a net of nets/layers.h: packed, computed, and as the columns of predictions.
#pragma once

#include <arrow/record_batch.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "inference/predictions.h"
#include "nets/forward.h"
#include "pipeline/torch_task.h"
#include "rows/schema.h"

namespace protium {

// Immutable: any thread.
class RowNet {
 public:
  // With the weights in a safetensors file, which is not read again; predictions become `added`.
  // Nets that are not of nets/layers.h are refused before the file is read.
  static Result<RowNet> Make(const NetConfig& config, const std::filesystem::path& weights,
                             const SchemaPtr& added);
  // A row of predictions for each row of `batch`, which has the columns that the net reads. NULL
  // and NaN in them, and categories that it does not know, are faults, as they are for workers.
  Result<std::shared_ptr<arrow::RecordBatch>> Predict(const arrow::RecordBatch& batch) const;

 private:
  RowSchema rows_;
  std::vector<int64_t> cardinalities_;
  int64_t outputs_ = 1;
  std::shared_ptr<const std::map<std::string, std::vector<float>>> weights_;  // That net_ borrows.
  std::shared_ptr<const ForwardNet> net_;
  std::shared_ptr<const Predictions> predictions_;
  SchemaPtr added_;
};

}  // namespace protium
