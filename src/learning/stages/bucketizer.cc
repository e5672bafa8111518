// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <span>

#include "stages/buckets.h"
#include "stages/column_stage.h"
#include "stages/row.h"

// The number of the bucket between two given splits, as int64: bucket i is [split i, split i + 1).
// Learns nothing. NaN and NULL follow `nan` and `missing`: an error, NULL, or buckets of their own
// after all others, NaN's first. With open ends -inf and inf are in the first and the last bucket;
// with closed ends they are errors, as is every number outside the splits, and a number on the last
// split belongs to the bucket below it.
//
// Spark ML's Bucketizer does the same with these differences: it has closed ends only, so open ones
// are written as splits of -inf and inf; its handleInvalid can also drop rows; it does not handle
// NULL; and its buckets are doubles. Only comparisons with literals are used, so both engines
// agree.

namespace protium {
namespace {

enum class Ends { kOpen, kClosed };
EnumNames<Ends> Names(Ends) { return {{{Ends::kOpen, "open"}, {Ends::kClosed, "closed"}}}; }

struct BucketizerOptions : ColumnOptions {
  std::vector<double> splits;
  Ends ends = Ends::kOpen;
  Strange nan = Strange::kError;
  Strange missing = Strange::kNull;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("splits", splits,
          {.help =
               "lower bounds of the buckets, ascending; a number on a split is in the upper bucket",
           .items = "numbers"});
    visit(
        "ends", ends,
        {.help =
             "numbers beyond the splits: open gives them buckets of their own, as Spark does with "
             "-inf and inf; closed makes them an error"});
    visit("nan", nan, {.help = "what happens to NaN; keep: a bucket of its own, the last"});
    visit("missing", missing, {.help = "what happens to NULL; keep: a bucket after all others"});
  }

  Status Check(const std::string& path) const {
    const size_t fewest = ends == Ends::kOpen ? 1 : 2;
    bool rising = splits.size() >= fewest;
    for (size_t i = 1; rising && i < splits.size(); ++i) rising = splits[i - 1] < splits[i];
    if (rising) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "splits must be " + std::to_string(fewest) +
                         " or more ascending numbers, got " + Dump(Json(splits)),
                 .where = path + ".splits"});
  }
};

class BucketizerStage : public FormulaStage {
 public:
  BucketizerStage(const BucketizerOptions& options, StageNames names)
      : FormulaStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override { return arrow::int64(); }
  bool makes_indices() const override { return true; }
  int64_t cardinality(size_t) const override {
    return CountBuckets(Bounds().size(), options_.nan, options_.missing);
  }

 protected:
  Expr ExprOf(size_t i) const override {
    const Expr x = NumberOf(inputs()[i]);
    Expr bucket = BucketOf(x, Bounds(), inputs()[i], options_.nan, options_.missing);
    if (options_.ends == Ends::kOpen) return bucket;
    const std::vector<double>& splits = options_.splits;
    const Expr fail = MakeCall("error", {Lit("column \"" + inputs()[i] +
                                             "\" has a value beyond the "
                                             "splits of \"" +
                                             id() + "\"")});
    // NULL and NaN are not outside: they have their own policies, which `bucket` contains. NaN must
    // be handled before the comparison, which would place it above the last split.
    const Expr above = MakeCall("if", {x > Lit(splits.back()), fail, bucket});
    const Expr inside = MakeCall("if", {x < Lit(splits.front()), fail, above});
    return IfNull(x, bucket, IfNan(x, bucket, inside));
  }

 private:
  // The splits that separate two buckets. Closed ends separate nothing; since the last split is
  // left out, a number on it falls into the last bucket rather than one above.
  std::span<const double> Bounds() const {
    const std::span<const double> all = options_.splits;
    return options_.ends == Ends::kOpen ? all : all.subspan(1, all.size() - 2);
  }

  BucketizerOptions options_;
};

}  // namespace

StageRow BucketizerRow() {
  return MakeStageRow<BucketizerStage, BucketizerOptions>(
      "bucketizer", "replaces numbers with 0, 1, 2, ...: the bucket between two splits");
}

}  // namespace protium
