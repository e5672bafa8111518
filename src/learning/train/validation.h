// SPDX-License-Identifier: Apache-2.0
// Metrics on the held-out rows, and what is fitted to these rows after training. The same for any
// number of ranks: states are exact sums or sorted scores, which merge in any order.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "metrics/decision.h"
#include "metrics/diagnostics.h"
#include "metrics/metrics.h"
#include "nets/target.h"
#include "rows/rows.h"

namespace protium {

// Which parts of a Decision to fit.
struct DecisionSpec {
  Calibration calibration = Calibration::kNone;
  std::string threshold_by;  // The metric that chooses the cut; empty: it is not fitted.
};

// Writes [rows, Target::outputs()] of a model, which must depend on each row alone.
using PredictRows = std::function<Status(const PackedRows& rows, std::span<float> out)>;

// Measures a model on the validation rows of all ranks, in the label's own units. One thread.
class Validation {
 public:
  // `rows`, and what `predict` borrows, must outlive it. `own`: metrics besides the built-in ones.
  Validation(const ShardedRows& rows, PredictRows predict, const Target& target,
             std::vector<std::string> metrics, std::vector<MetricSpec> own);
  // Collective. Returns the same values on every rank, whoever owns which shard. `diagnostics`, if
  // given, becomes the state of all rows.
  Result<Json> Measure(Communicator& communicator, Diagnostics* diagnostics = nullptr);
  // Collective. Returns the value of one metric on other rows, which each rank passes: packed rows
  // of the schema, in parts.
  Result<Json> MeasureThese(std::span<const std::span<const std::byte>> parts,
                            const std::string& metric, Communicator& communicator);
  // Collective. Fits the calibration, then the cut of the calibrated scores; Measure() uses both
  // from now on. Each pass over the rows predicts for all of them.
  Result<Decision> FitDecision(const DecisionSpec& spec, Communicator& communicator);

 private:
  using EachRow = std::function<void(const Judged& row)>;
  Status ForOwnRows(const EachRow& each);
  Status ForBatch(const PackedRows& rows, const EachRow& each);
  Status FitTemperature(Communicator& communicator);
  Result<std::vector<Ranked>> RankScores(Communicator& communicator);

  const ShardedRows& rows_;
  PredictRows predict_;
  Target target_;
  std::vector<std::string> metrics_;
  std::vector<MetricSpec> own_;
  std::vector<float> outputs_;
};

}  // namespace protium
