// SPDX-License-Identifier: Apache-2.0
// Models whose weights are rounded (nets/weight_precision.h), after training has measured what that
// costs. They predict with weights of 8 bits; bfloat16 is for exported graphs alone, since it is
// widened before it is multiplied.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/model_folder.h"
#include "model/model_state.h"
#include "nets/weight_precision.h"
#include "pipeline/estimator_kind.h"

namespace protium {

// A metric of a model on its validation rows, with its own weights and with rounded ones.
struct RoundedLoss {
  WeightPrecision precision = WeightPrecision::kInt8;
  std::string metric;
  double float32 = 0;
  double rounded = 0;
  bool higher_is_better = false;
  // How much worse it is when rounded, as a share of the value with float32; below 0: it is better.
  double share() const;
};

// In int8. Fails with Exit::kUsage for a model that does not compute with such weights, and for one
// whose training has not measured this.
Result<RoundedLoss> LossOfInt8(const ModelState& state);

// The usual largest RoundedLoss::share().
inline constexpr double kMostRoundedLoss = 0.001;

// The same of a model folder, in either precision; also fails if its share() is above `most_loss`.
Result<RoundedLoss> AllowedLoss(const ModelFiles& files, WeightPrecision precision,
                                double most_loss);

// "in int8: auc 0.91 on the model's validation rows, in float32 0.9101".
std::string Describe(const RoundedLoss& loss);

// Returns a copy of `model` whose workers and scorers compute with weights of 8 bits. Fails as
// LossOfInt8() does, and if its share() is above `most_loss`.
Result<PipelineModel> WithInt8(const PipelineModel& model, double most_loss = kMostRoundedLoss);

// Opens the model's estimator for predictions in the calling process, in the model's precision.
Result<std::shared_ptr<const RowPredictor>> OpenPredictor(const ModelState& state);

// Writes the tensors of the file `weights` to `out` in float32, with the values that RoundNumbers()
// leaves of them.
Status WriteRounded(const std::filesystem::path& weights, WeightPrecision precision,
                    const std::filesystem::path& out);

}  // namespace protium
