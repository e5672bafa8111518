// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// Texts become lists of words: lower case, split where a Java regular expression matches, or
// consisting of its matches; words of fewer than `min_length` letters are left out. Learns nothing.
// NULL stays NULL; a text without words becomes an empty list.
//
// Spark ML's RegexTokenizer does the same with the same defaults, but counts a letter beyond U+FFFF
// twice. Its Tokenizer is pattern = "\\s", and includes the empty words between neighbouring
// spaces.

namespace protium {
namespace {

enum class Match { kGaps, kWords };
EnumNames<Match> Names(Match) { return {{{Match::kGaps, "gaps"}, {Match::kWords, "words"}}}; }

struct TokenizerOptions : ColumnOptions {
  std::string pattern = "\\s+";
  Match matches = Match::kGaps;
  bool lower_case = true;
  int64_t min_length = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("pattern", pattern, {.help = "a Java regular expression", .filled = "a pattern"});
    visit("matches", matches,
          {.help = "what the pattern matches: the gaps between words, or the words themselves"});
    visit("lower_case", lower_case, {.help = "texts are turned to lower case first"});
    visit("min_length", min_length,
          {.help = "shorter words are left out", .unit = "letters", .at_least = 1});
  }
};

class TokenizerStage : public FormulaStage {
 public:
  TokenizerStage(const TokenizerOptions& options, StageNames names)
      : FormulaStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::utf8());
  }
  Status CheckType(const arrow::DataType& type) const override {
    return type.id() == arrow::Type::STRING ? Status::OK() : Status::TypeError("text");
  }

 protected:
  Expr ExprOf(size_t i) const override {
    const Expr cell = Col(inputs()[i]);
    const Expr text = options_.lower_case ? MakeCall("lower", {cell}) : cell;
    const bool gaps = options_.matches == Match::kGaps;
    Expr words = MakeCall(gaps ? "split" : "extract_all", {text, Lit(options_.pattern)});
    return MakeCall("keep_long", {std::move(words), Lit(options_.min_length)});
  }

 private:
  TokenizerOptions options_;
};

}  // namespace

StageRow TokenizerRow() {
  return MakeStageRow<TokenizerStage, TokenizerOptions>(
      "tokenizer", "splits texts into lists of words, in lower case");
}

}  // namespace protium
