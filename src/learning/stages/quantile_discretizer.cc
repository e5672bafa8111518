// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <cmath>

#include "stages/buckets.h"
#include "stages/column_stage.h"
#include "stages/row.h"

// How many of the learned bounds are at most x, as int64. The bounds are the exact quantiles k /
// buckets of the training rows, each the least value that at least that share of all values do not
// exceed (NumberCounts::Quantiles), so they are elements of the data. Equal ones count once, which
// leaves fewer buckets than asked for. Learning leaves out NULL and NaN; it refuses a column
// without any value and one with an infinite quantile. Applying treats NaN and NULL by `nan` and
// `missing`: an error, NULL, or buckets of their own after all others, NaN's first.
//
// Spark ML's QuantileDiscretizer computes approximate quantiles unless relativeError = 0, with
// which its bounds are these; it can also drop rows, and its buckets are doubles. Only comparisons
// with literals are used, so both engines agree.

namespace protium {
namespace {

struct QuantileDiscretizerOptions : ColumnOptions {
  int64_t buckets = 4;
  Strange nan = Strange::kError;
  Strange missing = Strange::kNull;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("buckets", buckets,
          {.help =
               "number of buckets with about equally many training rows; fewer where values repeat",
           .at_least = 2,
           .below = 10001});
    visit("nan", nan, {.help = "what happens to NaN; keep: a bucket of its own, the last"});
    visit("missing", missing, {.help = "what happens to NULL; keep: a bucket after all others"});
  }
};

struct Bounds {
  std::string input;
  std::string output;
  std::vector<double> bounds;  // Ascending; a number on a bound is in the bucket above it.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("bounds", bounds);
  }
};

class QuantileDiscretizerStage : public LearnedFormulaStage<Bounds> {
 public:
  QuantileDiscretizerStage(const QuantileDiscretizerOptions& options, StageNames names)
      : LearnedFormulaStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override { return arrow::int64(); }
  bool makes_indices() const override { return true; }
  int64_t cardinality(size_t i) const override {
    if (i >= entries().size()) return 0;
    return CountBuckets(entries()[i].bounds.size(), options_.nan, options_.missing);
  }

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kNumbers); }

 protected:
  // If a value is frequent enough to be several quantiles, they are one bound.
  Result<Bounds> LearnOne(const std::string& input, const State& state) const override {
    const auto& numbers = std::get<NumberCounts>(state);
    PT_TRY(CheckSomeValue(numbers.count(), input));
    Bounds learned;
    for (const double bound : numbers.Quantiles(options_.buckets)) {
      PT_TRY(CheckSpread(std::isfinite(bound), input));
      const bool again = !learned.bounds.empty() && learned.bounds.back() == bound;
      if (!again) learned.bounds.push_back(bound);
    }
    return learned;
  }

  // Bounds in another order would make the tree of comparisons (Stepped) return wrong buckets.
  bool IsSound(const Bounds& learned) const override {
    bool rising = !learned.bounds.empty();
    for (size_t i = 1; i < learned.bounds.size(); ++i) {
      rising = rising && learned.bounds[i - 1] < learned.bounds[i];
    }
    return rising;
  }

  Expr ExprOf(const Bounds& learned) const override {
    return BucketOf(NumberOf(learned.input), learned.bounds, learned.input, options_.nan,
                    options_.missing);
  }

 private:
  QuantileDiscretizerOptions options_;
};

}  // namespace

StageRow QuantileDiscretizerRow() {
  return MakeStageRow<QuantileDiscretizerStage, QuantileDiscretizerOptions>(
      "quantile_discretizer",
      "replaces numbers with 0, 1, 2, ...: buckets between exact quantiles of the training rows");
}

}  // namespace protium
