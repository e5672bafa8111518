// SPDX-License-Identifier: Apache-2.0
// The rows that a net reads and what it says of them, as its configuration has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nets/target.h"
#include "pipeline/torch_task.h"
#include "rows/schema.h"

namespace protium {

// The layout of packed rows for a net of this configuration. They have the labels and, where
// `weight` is not empty, that column's weights; to score, `labels` is false. Numbers in `scaled`
// are made from the columns that these name.
RowSchema NetRows(const NetConfig& config, const std::vector<ScaledNumber>& scaled,
                  const std::string& weight, bool labels);
// Of each categorical column, in the order of the field "categories".
std::vector<int64_t> Cardinalities(const NetConfig& config);
// What the net's outputs mean: scales, logarithm and classes of the objective.
Target MakeTarget(const Objective& objective);

}  // namespace protium
