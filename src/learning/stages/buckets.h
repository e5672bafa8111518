// SPDX-License-Identifier: Apache-2.0
// Expressions that turn numbers and texts into indices of buckets, shared by the stages whose
// outputs a net reads as categories: bucketizer, quantile_discretizer, hasher and hashed_cross; and
// the step function with which frequency_encoder looks up its counts. They compare and hash, but
// never round, so both engines compute the same index.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/node.h"
#include "protium/fields.h"
#include "protium/stages.h"

namespace protium {

// What to do with a cell that belongs to no bucket, NaN or NULL: fail the query, use a bucket for
// such cells, or return NULL. Spark's handleInvalid = "skip" has no counterpart, because a stage
// never drops rows.
enum class Strange { kError, kKeep, kNull };
inline EnumNames<Strange> Names(Strange) {
  return {{{Strange::kError, "error"}, {Strange::kKeep, "keep"}, {Strange::kNull, "null"}}};
}

// A step function: values[i], where i is how many of `bounds` are at most x. Bounds ascend, and
// there is one more value than bounds. x must not be NULL or NaN.
Expr Stepped(const Expr& x, std::span<const Expr> bounds, std::span<const Expr> values);

// The number of indices that BucketOf() can return: an embedding's rows.
int64_t CountBuckets(size_t bounds, Strange nan, Strange missing);

// Returns the int64 index of the bucket of `x`: 0 below the first bound; a number on a bound is in
// the bucket above it. With kKeep, NaN gets the next index after the buckets and NULL the one after
// that (or that of NaN, if NaN has none). `column` is the name of x in errors.
Expr BucketOf(const Expr& x, std::span<const double> bounds, const std::string& column, Strange nan,
              Strange missing);

// pmod(hash(text), buckets), an int64 from 0 to buckets - 1, with Spark SQL's hash() (MurmurHash3,
// 32 bits, seed 42) of the columns' texts, joined by U+001F so that ("JF", "K7") and ("JFK", "7")
// differ. If any of them is NULL: the index `buckets`, NULL, or an error that names the column.
Expr HashBucketOf(const Columns& columns, int64_t buckets, Unseen missing);

}  // namespace protium
