// SPDX-License-Identifier: Apache-2.0
// Describes how the rows of a step are divided among shards and workers.
#pragma once

#include <string>

#include "base/json.h"

namespace protium {

// "512 rows per step = 4 shards x 128 rows; 2 workers with 2 shards each", from the "training" of a
// plan; missing numbers count as one.
std::string ShardsText(const Json& training);

}  // namespace protium
