// SPDX-License-Identifier: Apache-2.0
// The options that estimators of every kind share: which columns they read, what they learn, how it
// is measured, who trains them. A kind's options have them as a member `common`, whose Fields()
// come first; the options of the public API (protium/stages.h) have the same members one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/stages.h"

namespace protium {

// The part of `train` that all kinds share. As in TrainOptions (protium/training.h).
struct MeasureOptions {
  ValidationOptions validation;
  std::vector<std::string> metrics;
  std::string best;
  std::string baseline;
  int64_t seed = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("validation", validation,
          {.help = "rows set aside while training, to measure on", .decides_weights = false});
    visit("metrics", metrics,
          {.help = "what is measured on validation and test rows; unless set, what suits the loss",
           .rows_of = "metrics",
           .decides_weights = false});
    visit("best", best,
          {.help = "the metric on validation rows that decides; unless set, the first",
           .rows_of = "metrics"});
    visit("baseline", baseline,
          {.help = "column to compare with: by a straight line in it or, of earlier values such as "
                   "\"sales__lag__7\", as it is; or a forecast of a series, \"last value\" or "
                   "\"seasonal\", of a season of 7 rows \"seasonal@7\"; empty: none",
           .decides_weights = false});
    visit("seed", seed, {.help = "seed of all that is drawn"});
  }
};

// What each member means: TorchEstimatorOptions (protium/stages.h).
struct EstimatorOptions {
  std::string id;
  Inputs categorical;
  Inputs numeric;
  std::vector<VectorColumn> vectors;
  std::string label;
  Columns labels;
  std::string positive;
  std::string weight;
  std::string group;  // Only kinds that rank have it as an option.
  std::optional<Scale> label_scale;
  Choice loss = MeanSquaredError();
  std::string prediction = "prediction";
  std::string probability = "probability";
  std::string probabilities;
  UnseenClass unseen_class = UnseenClass::kIgnore;
  Threshold threshold;
  Calibration calibration = Calibration::kNone;
  MeasureOptions train;
  GangSpec gang;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    VisitLearning(*this, visit);
    visit("train", train, {.help = "how it is measured"});
    visit("gang", gang, {.help = "the workers that train it"});
  }
};

// Returns the shared part of a kind's options.
template <class Options>
EstimatorOptions CommonOf(const Options& options) {
  return options.common;
}
// Writes the shared part back.
template <class Options>
void TakeCommon(const EstimatorOptions& common, Options& options) {
  options.common = common;
}

}  // namespace protium
