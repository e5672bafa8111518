// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "stages/buckets.h"
#include "stages/column_stage.h"
#include "stages/row.h"

// One index for a combination of values: pmod(hash(texts joined by U+001F), buckets), an int64 for
// a net's embedding. Learns nothing, so new values need no policy; different combinations may share
// an index. A row with NULL in any input gets the index `buckets`, NULL, or fails the query.
//
// This is the crossed column of wide-and-deep models. Spark ML has no such class (its Interaction
// multiplies vectors); the hash is Spark SQL's hash() of the joined text, which is identical on
// both engines to the bit (HashText in functions/digest_functions.cc).

namespace protium {
namespace {

struct HashedCrossOptions {
  std::string id;
  Inputs inputs;
  int64_t buckets = 1000;
  Unseen missing = Unseen::kOwnIndex;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("buckets", buckets,
          {.help = "number of indices; different combinations may share one",
           .at_least = 1,
           .below = 100000001});
    visit("missing", missing,
          {.help = "what happens to rows with a NULL among the inputs; its own index is the last"});
  }
};

class HashedCrossStage : public FormulaStage {
 public:
  HashedCrossStage(const HashedCrossOptions& options, StageNames names)
      : FormulaStage(std::move(names)), options_(options) {
    std::string output;
    for (const std::string& input : inputs()) output += input + "__";
    SetOutputs({output + id()});
  }

  // All of them, so that a label among the inputs is detected (IsMadeFrom).
  std::vector<size_t> inputs_of(size_t) const override {
    std::vector<size_t> all;
    for (size_t i = 0; i < inputs().size(); ++i) all.push_back(i);
    return all;
  }
  std::shared_ptr<arrow::DataType> output_type(size_t) const override { return arrow::int64(); }
  bool makes_indices() const override { return true; }
  int64_t cardinality(size_t) const override {
    return options_.buckets + (options_.missing == Unseen::kOwnIndex ? 1 : 0);
  }
  Status CheckType(const arrow::DataType& type) const override { return CheckCategories(type); }

 protected:
  Expr ExprOf(size_t) const override {
    return HashBucketOf(inputs(), options_.buckets, options_.missing);
  }

 private:
  HashedCrossOptions options_;
};

}  // namespace

StageRow HashedCrossRow() {
  return MakeStageRow<HashedCrossStage, HashedCrossOptions>(
      "hashed_cross", "one index for a combination of texts or whole numbers: <a>__<b>__<id>");
}

}  // namespace protium
