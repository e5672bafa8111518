// SPDX-License-Identifier: Apache-2.0
// Which rows a training holds out for validation, for those who look at them from outside.
#pragma once

#include <cstdint>
#include <optional>

#include "protium/frame.h"
#include "protium/training.h"

namespace protium {

// The split of the training rows whose test side are the validation rows of a training with this
// seed (RowsFor() of train_rows.h); none if it holds no rows out.
std::optional<SplitOptions> HeldOutSplit(const ValidationOptions& validation, int64_t seed);

}  // namespace protium
