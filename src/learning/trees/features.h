// SPDX-License-Identifier: Apache-2.0
// The features of packed rows in the order of a forest's columns: the field "numeric", then
// "categories" (rows/schema.h), either of which may not exist. Missing values are NaN.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "rows/packed.h"
#include "rows/rows.h"

namespace protium {

// Columns of such rows.
int64_t CountFeatures(const RowSchema& schema);
// Writes [rows, columns].
void CopyFeatures(const PackedRows& rows, std::span<float> out);
// Writes one column.
void CopyFeature(const PackedRows& rows, int64_t column, std::span<float> out);

// Passes the own rows to `visit` in the order of the shards, in blocks that stay in the cache.
Status ForOwnRows(const ShardedRows& rows, const std::function<Status(const PackedRows&)>& visit);
int64_t CountOwnRows(const ShardedRows& rows);

}  // namespace protium
