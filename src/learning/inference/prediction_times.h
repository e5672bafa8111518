// SPDX-License-Identifier: Apache-2.0
// How long a model takes to predict, measured where it would be served: in this process, by one
// thread (protium/scorer.h).
#pragma once

#include "protium/frame.h"
#include "protium/pipeline.h"

namespace protium {

struct PredictionTimes {
  double latency_us = 0;  // Microseconds of a row that is predicted alone: the median of 200.
  double seconds_a_million = 0;  // Seconds that a million rows take, by up to 4,096 at a time.
};

// Predicts some of `rows` and discards the predictions. Other work on the machine lengthens the
// times. Refuses what Scorer::Make() refuses, and rows that are none.
Result<PredictionTimes> TimePredictions(const PipelineModel& model, const DataFrame& rows);

}  // namespace protium
