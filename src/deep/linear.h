// SPDX-License-Identifier: Apache-2.0
// The linear or logistic model, as a net: the shortest example of one with a gradient of its own.
#pragma once

#include "tensor/net.h"

namespace protium {

// The net `linear`: bias + weight x + the sum of a row of each category's table. Parameters:
//   category.<c>.weight [cardinality, outputs]   one a categorical column
//   weight [outputs, numeric]                    where there are numeric columns
//   bias [outputs]
// All begin at 0: there is nothing to break the symmetry of.
Result<std::unique_ptr<Net>> MakeLinear(const Json& options, const NetInputs& inputs);

}  // namespace protium
