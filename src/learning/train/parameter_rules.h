// SPDX-License-Identifier: Apache-2.0
// What the entries of train.parameters say of each tensor of a net.
//
// An entry whose pattern matches parameters gives them its rate (ParameterRates()). One that
// matches none, but running statistics of batch norm, such as "norm.0.running_*", is about these: 0
// freezes them, 1 lets them go on. So "*" leaves them alone. As with parameters, the first entry
// that is about a statistic counts.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "protium/training.h"
#include "tensor/net.h"

namespace protium {

struct ParameterRules {
  std::vector<double> rates;  // By parameter.
  std::vector<bool> frozen;   // By buffer: a statistic that training leaves as it is.
};

// Faults of Exit::kUsage at `where`, the key of the options: a pattern that matches nothing, a rate
// of statistics other than 0 and 1, a batch norm of which one statistic alone would be frozen, and
// a net that cannot freeze any.
Result<ParameterRules> RulesFor(const std::vector<ParameterOptions>& options, const Net& net,
                                const std::string& where = "train.parameters");

// Those of train.parameters, then of the `parameters` of each of train.changes, at their keys.
Result<std::vector<ParameterRules>> RulesOf(const TrainOptions& train, const Net& net);

// Makes the net train with these statistics frozen.
void FreezeStatistics(const ParameterRules& rules, Net& net);

}  // namespace protium
