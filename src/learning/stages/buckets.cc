// SPDX-License-Identifier: Apache-2.0
#include "stages/buckets.h"

#include "stages/column_stage.h"

namespace protium {
namespace {

// What a cell without a bucket becomes; `own` is its index if it has one, `what` its name in the
// error.
Expr IndexOf(Strange strange, int64_t own, const std::string& column, const char* what) {
  if (strange == Strange::kKeep) return Lit(own);
  if (strange == Strange::kNull) return Lit(std::monostate());
  return MakeCall("error", {Lit("column \"" + column + "\" has a " + what)});
}

}  // namespace

// A balanced tree of comparisons, not a chain: ten thousand bounds nest fourteen deep rather than
// ten thousand, and a row is compared fourteen times.
Expr Stepped(const Expr& x, std::span<const Expr> bounds, std::span<const Expr> values) {
  if (bounds.empty()) return values.front();
  const size_t half = bounds.size() / 2;
  return MakeCall("if", {x < bounds[half], Stepped(x, bounds.first(half), values.first(half + 1)),
                         Stepped(x, bounds.subspan(half + 1), values.subspan(half + 1))});
}

int64_t CountBuckets(size_t bounds, Strange nan, Strange missing) {
  return int64_t(bounds) + 1 + (nan == Strange::kKeep ? 1 : 0) +
         (missing == Strange::kKeep ? 1 : 0);
}

Expr BucketOf(const Expr& x, std::span<const double> bounds, const std::string& column, Strange nan,
              Strange missing) {
  const int64_t buckets = CountBuckets(bounds.size(), Strange::kNull, Strange::kNull);
  // If NaN has no index of its own, NULL takes it, so that indices have no gap.
  const int64_t after = buckets + (nan == Strange::kKeep ? 1 : 0);
  std::vector<Expr> splits;
  std::vector<Expr> indices;
  for (const double bound : bounds) splits.push_back(Lit(bound));
  for (int64_t i = 0; i < buckets; ++i) indices.push_back(Lit(i));
  Expr of_number = IfNan(x, IndexOf(nan, buckets, column, "NaN"), Stepped(x, splits, indices));
  return IfNull(x, IndexOf(missing, after, column, "NULL"), std::move(of_number));
}

Expr HashBucketOf(const Columns& columns, int64_t buckets, Unseen missing) {
  std::vector<Expr> texts;
  for (const std::string& column : columns) texts.push_back(MakeCall("cast_string", {Col(column)}));
  // hash() is an int32 and may be negative: hence pmod, whose result is never negative, and the
  // cast.
  const Expr hash = MakeCall("cast_int64", {MakeCall("hash_text", std::move(texts))});
  Expr bucket = MakeCall("pmod", {hash, Lit(buckets)});
  // Tested before hashing: concat_ws skips NULLs on both engines, so ("a", NULL) would hash as "a".
  for (const std::string& column : columns) {
    Expr none = missing == Unseen::kOwnIndex ? Lit(buckets) : Lit(std::monostate());
    if (missing == Unseen::kError) {
      none = MakeCall("error", {Lit("column \"" + column + "\" has a NULL")});
    }
    bucket = IfNull(Col(column), std::move(none), std::move(bucket));
  }
  return bucket;
}

}  // namespace protium
