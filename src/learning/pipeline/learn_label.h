// SPDX-License-Identifier: Apache-2.0
// The parts of LearnLabel() (objective.h), by kind of label. Each takes the states of LabelNeeds()
// in its order.
#pragma once

#include <arrow/type_fwd.h>

#include <span>
#include <vector>

#include "pipeline/objective.h"

namespace protium {

// Values and quantiles: the scale of each label, and what predictions are compared with.
Result<Learned> LearnNumbers(const EstimatorOptions& options, const LossRow& loss,
                             std::span<const State> states);

// Labels of yes and no, of which both must occur: else there is nothing to learn.
Result<Learned> LearnFlags(const EstimatorOptions& options, std::span<const State> states);

// The classes in their order, the share of each (the baseline), and the weights that follow from
// the shares. Shares are of rows with a label.
Result<Learned> LearnClasses(const EstimatorOptions& options, const LossRow& loss,
                             const TextCounts& counts, const arrow::DataType& type);

// The levels of a loss of quantiles, from its options; a fault of Exit::kUsage without them.
Result<std::vector<double>> LevelsOf(const EstimatorOptions& options);

}  // namespace protium
