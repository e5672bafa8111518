// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "base/text.h"
#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// Removes words from lists of words. Learns nothing. NULL stays NULL; NULL elements are left out.
// Without `case_sensitive` the lower case of each element is compared, and `words` must be in lower
// case.
//
// Spark ML's StopWordsRemover does the same. It has lists of words for some languages; here `words`
// must be given, so that a model says which ones it leaves out.

namespace protium {
namespace {

struct StopWordsRemoverOptions : ColumnOptions {
  Columns words;
  bool case_sensitive = false;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("words", words, {.help = "the words to leave out"});
    visit("case_sensitive", case_sensitive, {.help = "whether The differs from the"});
  }

  Status Check(const std::string& path) const {
    if (words.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "no words to leave out",
                   .where = path + ".words",
                   .fix = "words = [\"a\", \"an\", \"the\"]"});
    }
    for (const std::string& word : words) {
      if (case_sensitive || Lower(word) == word) continue;
      return Fail({.exit = Exit::kUsage,
                   .what = "\"" + word + "\" is not in lower case, so that it would match nothing",
                   .where = path + ".words",
                   .fix = "write it in lower case, or set case_sensitive = true"});
    }
    return Status::OK();
  }
};

class StopWordsRemoverStage : public FormulaStage {
 public:
  StopWordsRemoverStage(const StopWordsRemoverOptions& options, StageNames names)
      : FormulaStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::utf8());
  }
  Status CheckType(const arrow::DataType& type) const override { return CheckTokens(type); }

 protected:
  Expr ExprOf(size_t i) const override {
    std::vector<Expr> arguments = {Col(inputs()[i])};
    for (const std::string& word : options_.words) arguments.push_back(Lit(word));
    return MakeCall(options_.case_sensitive ? "leave_out" : "leave_out_any_case",
                    std::move(arguments));
  }

 private:
  StopWordsRemoverOptions options_;
};

}  // namespace

StageRow StopWordsRemoverRow() {
  return MakeStageRow<StopWordsRemoverStage, StopWordsRemoverOptions>(
      "stop_words_remover", "removes given words from lists of words");
}

}  // namespace protium
