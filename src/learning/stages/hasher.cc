// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "stages/buckets.h"
#include "stages/column_stage.h"
#include "stages/row.h"

// pmod(hash(text), buckets) with Spark SQL's hash(), an int64 for a net's embedding. Learns
// nothing, so values unseen in training need no policy and vocabularies of any size need no memory;
// different values may share an index. Whole numbers and booleans are hashed by their text. NULL
// gets the index `buckets`, becomes NULL, or fails the query.
//
// Spark ML's FeatureHasher differs: it hashes "column=value" with another MurmurHash3, which mixes
// in the last bytes together and which SQL does not offer, and adds all columns into one vector.
// Both engines compute this stage's hash to the bit (HashText in functions/digest_functions.cc).

namespace protium {
namespace {

struct HasherOptions : ColumnOptions {
  int64_t buckets = 1000;
  Unseen missing = Unseen::kOwnIndex;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("buckets", buckets,
          {.help = "number of indices; different values may share one",
           .at_least = 1,
           .below = 100000001});
    visit("missing", missing, {.help = "what happens to NULL; its own index is the last"});
  }
};

class HasherStage : public FormulaStage {
 public:
  HasherStage(const HasherOptions& options, StageNames names)
      : FormulaStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override { return arrow::int64(); }
  bool makes_indices() const override { return true; }
  int64_t cardinality(size_t) const override {
    return options_.buckets + (options_.missing == Unseen::kOwnIndex ? 1 : 0);
  }
  Status CheckType(const arrow::DataType& type) const override { return CheckCategories(type); }

 protected:
  Expr ExprOf(size_t i) const override {
    return HashBucketOf({inputs()[i]}, options_.buckets, options_.missing);
  }

 private:
  HasherOptions options_;
};

}  // namespace

StageRow HasherRow() {
  return MakeStageRow<HasherStage, HasherOptions>(
      "hasher",
      "replaces texts and whole numbers with indices without learning: pmod(hash(text), buckets) "
      "of Spark's SQL");
}

}  // namespace protium
