// SPDX-License-Identifier: Apache-2.0
// Models that predict with weights of 8 bits (nets/int8_panels.h): those whose net is made of
// layers, after training has measured what that costs.
#pragma once

#include <memory>
#include <string>

#include "model/model_folder.h"
#include "model/model_state.h"
#include "pipeline/estimator_kind.h"

namespace protium {

// A metric of a model on its validation rows, in both precisions.
struct Int8Loss {
  std::string metric;
  double float32 = 0;
  double int8 = 0;
  bool higher_is_better = false;
  // How much worse it is with int8, as a share of the value with float32; below 0: it is better.
  double share() const;
};

// Fails with Exit::kUsage for a model that does not compute with such weights, and for one whose
// training has not measured this.
Result<Int8Loss> LossOfInt8(const ModelState& state);

// The usual largest Int8Loss::share().
inline constexpr double kMostInt8Loss = 0.001;

// The same of a model folder; also fails if its share() is above `most_loss`.
Result<Int8Loss> AllowedInt8(const ModelFiles& files, double most_loss);

// "in int8: auc 0.91 on the model's validation rows, in float32 0.9101".
std::string Describe(const Int8Loss& loss);

// Returns a copy of `model` whose workers and scorers compute with weights of 8 bits. Fails as
// LossOfInt8() does, and if its share() is above `most_loss`.
Result<PipelineModel> WithInt8(const PipelineModel& model, double most_loss = kMostInt8Loss);

// Opens the model's estimator for predictions in the calling process, in the model's precision.
Result<std::shared_ptr<const RowPredictor>> OpenPredictor(const ModelState& state);

}  // namespace protium
