// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <algorithm>

#include "stages/column_stage.h"
#include "stages/row.h"
#include "stages/vocabulary.h"

// Lists of words become lists of whole numbers of one length, for a net that embeds words: 2, 3,
// ... for the words of a learned vocabulary, most occurrences first, 1 for all others, and 0 to pad
// short lists. Longer lists are cut. A NULL list has no words; NULL elements are left out. Spark ML
// has no such stage.

namespace protium {
namespace {

constexpr int64_t kPadding = 0, kUnknown = 1, kFirstWord = 2;

struct TextIndexerOptions : ColumnOptions {
  int64_t length = 0;
  int64_t vocab_size = 10000;
  double min_df = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("length", length,
          {.help = "of each list; words beyond are left out", .at_least = 1, .below = 100001});
    visit("vocab_size", vocab_size,
          {.help = "the most words of the vocabulary; indices are below vocab_size + 2",
           .at_least = 1,
           .below = 10000001});
    visit("min_df", min_df,
          {.help = "words in fewer training rows are unknown ones; below 1: a share of them",
           .at_least = 0});
  }

  Status Check(const std::string& path) const {
    if (length > 0) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "the length of the lists is not set",
                 .where = path + ".length",
                 .fix = "length = 64"});
  }
};

class TextIndexerStage : public VocabularyStage {
 public:
  TextIndexerStage(const TextIndexerOptions& options, StageNames names)
      : VocabularyStage(std::move(names), {options.vocab_size, options.min_df, {}}),
        length_(options.length) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::int64());
  }
  int64_t output_length(size_t) const override { return length_; }

 protected:
  Result<std::shared_ptr<arrow::Array>> ComputeOne(const TokenLists& lists,
                                                   const Positions& positions) const override {
    std::vector<int64_t> indices(size_t(lists.rows() * length_), kPadding);
    for (int64_t row = 0; row < lists.rows(); ++row) {
      const auto words = lists.At(row);
      const size_t read = std::min(words.size(), size_t(length_));
      for (size_t i = 0; i < read; ++i) {
        const auto found = positions.find(words[i]);
        indices[size_t(row * length_) + i] =
            found == positions.end() ? kUnknown : kFirstWord + found->second;
      }
    }
    return MakeLists(indices, length_, {});
  }

 private:
  int64_t length_;
};

}  // namespace

StageRow TextIndexerRow() {
  return MakeStageRow<TextIndexerStage, TextIndexerOptions>(
      "text_indexer",
      "turns lists of words into lists of indices of one length; 0 is padding, 1 an unknown word");
}

}  // namespace protium
