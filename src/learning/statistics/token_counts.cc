// SPDX-License-Identifier: Apache-2.0
#include "statistics/token_counts.h"

#include <arrow/array.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "statistics/lists.h"

namespace protium {
namespace {

constexpr size_t kMostTexts = 20'000'000;

}  // namespace

Result<TokenCounts::Seen*> TokenCounts::Find(std::string_view text) {
  const auto [found, added] = seen_.try_emplace(std::string(text));
  if (!added || seen_.size() <= kMostTexts) return &found->second;
  return Fail({.exit = Exit::kNoRoom,
               .what = "more than 20000000 different texts in lists",
               .fix = "use hashing_tf, which keeps none of them"});
}

Status TokenCounts::Add(const arrow::Array& lists) {
  PT_LET(const TokenLists tokens, TokenLists::Of(lists));
  for (int64_t row = 0; row < tokens.rows(); ++row, ++rows_) {
    for (const std::string_view text : tokens.At(row)) {
      PT_LET(Seen* const seen, Find(text));
      ++seen->times;
      if (seen->last != rows_) ++seen->rows;
      seen->last = rows_;
    }
  }
  return Status::OK();
}

// The two counts of a text travel as the row's count and number; rows are far below 2^53.
Status TokenCounts::Emit(const EmitRow& emit) const {
  for (const auto& [text, seen] : seen_) {
    PT_TRY(emit({.text = text, .number = double(seen.rows), .count = seen.times}));
  }
  return rows_ == 0 ? Status::OK() : emit({.count = rows_});
}

Status TokenCounts::Merge(const StateRow& row) {
  if (!row.text) {
    rows_ += row.count;
    return Status::OK();
  }
  if (!row.number) return Status::Invalid("a text without its number of rows");
  PT_LET(Seen* const seen, Find(*row.text));
  seen->times += row.count;
  seen->rows += static_cast<int64_t>(*row.number);
  return Status::OK();
}

std::vector<std::string> TokenCounts::Vocabulary(const VocabularyLimits& limits) const {
  // As Spark: a share becomes a number of rows, which need not be whole.
  const auto in_rows = [&](double limit) { return limit < 1 ? limit * double(rows_) : limit; };
  const double least = in_rows(limits.min_rows);
  const double most = limits.max_rows ? in_rows(*limits.max_rows) : double(rows_);
  std::vector<std::pair<std::string_view, int64_t>> sorted;
  for (const auto& [text, seen] : seen_) {
    if (double(seen.rows) >= least && double(seen.rows) <= most)
      sorted.emplace_back(text, seen.times);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (int64_t(sorted.size()) > limits.size) sorted.resize(size_t(limits.size));
  std::vector<std::string> vocabulary;
  for (const auto& [text, times] : sorted) vocabulary.emplace_back(text);
  return vocabulary;
}

}  // namespace protium
