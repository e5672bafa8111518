// SPDX-License-Identifier: Apache-2.0
// Expressions that turn numbers and texts into indices of buckets, shared by the stages whose
// outputs a net reads as categories: bucketizer, quantile_discretizer, hasher and hashed_cross; and
// the step function that frequency_encoder looks its counts up with. They compare and hash, but
// never round, so both engines give the same index.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/node.h"
#include "protium/fields.h"
#include "protium/stages.h"

namespace protium {

// What becomes of a cell that belongs to no bucket, NaN or NULL: it fails the query, gets a bucket
// of its own, or becomes NULL. Spark's handleInvalid = "skip" has no counterpart, because a stage
// never drops rows.
enum class Strange { kError, kKeep, kNull };
inline EnumNames<Strange> Names(Strange) {
  return {{{Strange::kError, "error"}, {Strange::kKeep, "keep"}, {Strange::kNull, "null"}}};
}

// A step function: values[i], where i is the number of `bounds` that are at most x. Bounds ascend,
// and there is one value more than there are bounds. x must not be NULL or NaN.
Expr Stepped(const Expr& x, std::span<const Expr> bounds, std::span<const Expr> values);

// The number of indices that BucketOf() gives for so many bounds: an embedding's rows.
int64_t CountBuckets(size_t bounds, Strange nan, Strange missing);

// The int64 index of the bucket of `x`: 0 below the first bound; a number on a bound is in the
// bucket above it. With kKeep, NaN gets the next index after the buckets and NULL the one after
// that (or NaN's, if NaN has none). `column` is what errors call x.
Expr BucketOf(const Expr& x, std::span<const double> bounds, const std::string& column, Strange nan,
              Strange missing);

// pmod(hash(text), buckets), an int64 from 0 to buckets - 1, with Spark SQL's hash() (MurmurHash3,
// 32 bits, seed 42) of the columns' texts, joined by U+001F so that ("JF", "K7") and ("JFK", "7")
// differ. Where any of them is NULL: the index `buckets`, NULL, or an error that names the column.
Expr HashBucketOf(const Columns& columns, int64_t buckets, Unseen missing);

}  // namespace protium
