// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <optional>

#include "stages/column_stage.h"
#include "stages/row.h"
#include "stages/vocabulary.h"

// Lists of words as lists of counts, one for each word of a learned vocabulary. Every list has
// `vocab_size` numbers, padded with zeros if the vocabulary is smaller, so that the length is known
// before training. A NULL list has no words; NULL elements are left out.
//
// Spark ML's CountVectorizer does the same with the same options, but leaves the order of words of
// equal frequency open, which is by bytes here; its lists are as long as the vocabulary, of up to
// 262,144 words by default.

namespace protium {
namespace {

struct CountVectorizerOptions : ColumnOptions {
  int64_t vocab_size = 1000;
  double min_df = 1;
  std::optional<double> max_df;
  double min_tf = 1;
  bool binary = false;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("vocab_size", vocab_size,
          {.help = "the most words of the vocabulary, and the length of each list",
           .at_least = 1,
           .below = 1000001});
    visit("min_df", min_df,
          {.help = "words in fewer training rows are left out; below 1: a share of them",
           .at_least = 0});
    visit("max_df", max_df,
          {.help = "words in more training rows are left out; below 1: a share of them; unless "
                   "set, none",
           .at_least = 0});
    visit("min_tf", min_tf,
          {.help = "lower counts within a row become 0; below 1: a share of the row's words",
           .at_least = 0});
    visit("binary", binary, {.help = "1 for any count above 0"});
  }
};

class CountVectorizerStage : public VocabularyStage {
 public:
  CountVectorizerStage(const CountVectorizerOptions& options, StageNames names)
      : VocabularyStage(std::move(names), {options.vocab_size, options.min_df, options.max_df}),
        options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::float64());
  }
  int64_t output_length(size_t) const override { return options_.vocab_size; }

 protected:
  Result<std::shared_ptr<arrow::Array>> ComputeOne(const TokenLists& lists,
                                                   const Positions& positions) const override {
    const auto length = static_cast<size_t>(options_.vocab_size);
    std::vector<double> counts(size_t(lists.rows()) * length);
    for (int64_t row = 0; row < lists.rows(); ++row) {
      const std::span mine = std::span(counts).subspan(size_t(row) * length, length);
      const auto words = lists.At(row);
      for (const std::string_view word : words) {
        const auto found = positions.find(word);
        if (found != positions.end()) ++mine[size_t(found->second)];
      }
      // The share of all words of the row, including those not in the vocabulary, as in Spark.
      const double share = options_.min_tf * double(words.size());
      const double least = options_.min_tf < 1 ? share : options_.min_tf;
      for (double& count : mine) {
        if (count < least) count = 0;
        if (options_.binary && count > 0) count = 1;
      }
    }
    return MakeLists(counts, options_.vocab_size, {});
  }

 private:
  CountVectorizerOptions options_;
};

}  // namespace

StageRow CountVectorizerRow() {
  return MakeStageRow<CountVectorizerStage, CountVectorizerOptions>(
      "count_vectorizer", "counts the words of a learned vocabulary in lists of words");
}

}  // namespace protium
