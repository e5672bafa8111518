// SPDX-License-Identifier: Apache-2.0
// Metrics on the held-out rows, the same for any number of ranks: states of metrics are exact sums
// or sorted scores, which merge in any order.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "metrics/metrics.h"
#include "rows/rows.h"
#include "tensor/predict.h"
#include "tensor/target.h"

namespace protium {

// Measures a net on the validation rows of all ranks, in the label's own units. One thread.
class Validation {
 public:
  // `rows` and `net` must outlive it; the net was made for `device`. `own`: metrics beside the
  // built-in ones.
  Validation(const ShardedRows& rows, Net& net, const ComputeDevice& device, const Target& target,
             std::vector<std::string> metrics, std::vector<MetricSpec> own);
  // Collective. The same values on every rank, whoever owns which shard.
  Result<Json> Measure(Communicator& communicator);

 private:
  Status AddShard(int32_t shard, MetricState& state);
  Status Add(const Batch& rows, MetricState& state);

  const ShardedRows& rows_;
  Target target_;
  std::vector<std::string> metrics_;
  std::vector<MetricSpec> own_;
  Predictor predictor_;
  std::vector<float> outputs_;
};

}  // namespace protium
