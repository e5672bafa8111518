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

// Yes-or-no labels. Both must occur: otherwise there is nothing to learn.
Result<Learned> LearnFlags(const EstimatorOptions& options, std::span<const State> states);

// The classes in their order, the share of each (the baseline), and the weights that follow from
// the shares. Only rows with a label count.
Result<Learned> LearnClasses(const EstimatorOptions& options, const LossRow& loss,
                             const TextCounts& counts, const arrow::DataType& type);

// Returns the levels of a quantile loss from its options. Fails with Exit::kUsage if there are
// none.
Result<std::vector<double>> LevelsOf(const EstimatorOptions& options);

}  // namespace protium
