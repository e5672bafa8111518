// SPDX-License-Identifier: Apache-2.0
// Numbers as indices of buckets, for the stages that cut them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/fields.h"
#include "learn/options.h"
#include "plan/node.h"

namespace protium {

// What becomes of what lies in no bucket: it has one of its own, NULL, or the row fails. Spark's
// "skip" is not among them, as no stage leaves out rows.
enum class Strange { kError, kKeep, kNull };
inline EnumNames<Strange> Names(Strange) {
  return {{{Strange::kError, "error"}, {Strange::kKeep, "keep"}, {Strange::kNull, "null"}}};
}

// values[i] where as many as i of the rising `bounds` are not above x, which is neither NULL nor
// NaN there; one value more than bounds.
Expr Stepped(const Expr& x, std::span<const Expr> bounds, std::span<const Expr> values);

// How many indices there are.
int64_t CountBuckets(size_t bounds, Strange nan, Strange missing);

// The int64 index of the bucket of `x`, which is made from `column`: bucket 0 lies below the first
// bound, a number on a bound is in the bucket above it. With kKeep NaN has the index after them,
// and NULL the one after that.
Expr BucketOf(const Expr& x, std::span<const double> bounds, const std::string& column, Strange nan,
              Strange missing);

// The int64 index, below `buckets`, of the texts of some columns by Spark's hash() of them, joined
// by the control character 31. Where one of them is NULL: the index `buckets`, NULL, or a failing
// row.
Expr HashBucketOf(const Columns& columns, int64_t buckets, Unseen missing);

}  // namespace protium
