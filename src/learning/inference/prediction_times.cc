// SPDX-License-Identifier: Apache-2.0
#include "inference/prediction_times.h"

#include <arrow/api.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/fault.h"
#include "protium/scorer.h"

namespace protium {
namespace {

constexpr int64_t kRows = 4096;
constexpr int64_t kAlone = 200;  // Rows that are predicted alone,
constexpr int64_t kWarmUp = 20;  // after these.
constexpr int kPasses = 5;       // Over all rows together; the first warms up.

Result<std::shared_ptr<arrow::RecordBatch>> SomeOf(const DataFrame& rows) {
  PT_LET(const BatchStreamPtr stream, rows.Limit(kRows).Stream());
  while (true) {
    PT_LET(std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
    if (batch == nullptr) {
      return Fail({.exit = Exit::kInput, .what = "there are no rows to measure predictions on"});
    }
    if (batch->num_rows() > 0) return batch->Slice(0, kRows);
  }
}

Result<double> SecondsOf(const Scorer& scorer, const arrow::RecordBatch& rows) {
  const auto since = std::chrono::steady_clock::now();
  PT_TRY(scorer.Score(rows).status());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Result<PredictionTimes> TimePredictions(const PipelineModel& model, const DataFrame& rows) {
  PT_LET(const Scorer scorer, Scorer::Make(model));
  PT_LET(const auto batch, SomeOf(rows));
  std::vector<double> alone, together;
  for (int64_t i = 0; i < kWarmUp + kAlone; ++i) {
    PT_LET(const double seconds, SecondsOf(scorer, *batch->Slice(i % batch->num_rows(), 1)));
    if (i >= kWarmUp) alone.push_back(seconds);
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    PT_LET(const double seconds, SecondsOf(scorer, *batch));
    if (pass > 0) together.push_back(seconds);
  }
  return PredictionTimes{
      .latency_us = 1e6 * MedianOf(std::move(alone)),
      .seconds_a_million = 1e6 * MedianOf(std::move(together)) / double(batch->num_rows())};
}

}  // namespace protium
