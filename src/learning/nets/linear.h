// SPDX-License-Identifier: Apache-2.0
// The linear or logistic model, as a net: the shortest example of one with a gradient of its own.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `linear`: bias + weight x + one row of the table of each category. Parameters:
//   category.<c>.weight [cardinality, outputs]   one per categorical column
//   weight [outputs, numeric]                    where there are numeric columns
//   bias [outputs]
// All begin at 0: without hidden neurons there is no symmetry that random weights would have to
// break. It takes no options. Inputs without any column are refused (exit code of usage).
Result<std::unique_ptr<Net>> MakeLinear(const Json& options, const NetInputs& inputs);

}  // namespace protium
