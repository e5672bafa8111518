// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace protium {

// Sorts packed rows where they lie, by (key, bytes). Needs up to 24 bytes a row beside them; fewer
// than 2^32 rows.
Status SortRows(std::span<std::byte> rows, int64_t width);

}  // namespace protium
