// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// Lists of words become lists of n neighbours, joined by spaces, as in Spark ML's NGram. Learns
// nothing. A list of fewer than n words becomes an empty one; NULL stays NULL.

namespace protium {
namespace {

struct NGramOptions : ColumnOptions {
  int64_t n = 2;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("n", n, {.help = "how many neighbours are one", .at_least = 1, .below = 101});
  }
};

class NGramStage : public FormulaStage {
 public:
  NGramStage(const NGramOptions& options, StageNames names)
      : FormulaStage(std::move(names)), n_(options.n) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::utf8());
  }
  Status CheckType(const arrow::DataType& type) const override { return CheckTokens(type); }

 protected:
  Expr ExprOf(size_t i) const override { return MakeCall("n_grams", {Col(inputs()[i]), Lit(n_)}); }

 private:
  int64_t n_;
};

}  // namespace

StageRow NGramRow() {
  return MakeStageRow<NGramStage, NGramOptions>("n_gram", "joins neighbours in lists of words");
}

}  // namespace protium
