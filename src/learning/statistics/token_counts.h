// SPDX-License-Identifier: Apache-2.0
// A state (state.h): how often each text occurs in a column of lists, and in how many rows.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "statistics/number_counts.h"

namespace protium {

// Which texts belong to a vocabulary, and how many.
struct VocabularyLimits {
  int64_t size = 0;     // At most this many, the most frequent ones.
  double min_rows = 1;  // In at least this number of rows; below 1, in this share of all.
  std::optional<double> max_rows;  // Likewise, in at most; unset: no limit.
};

// NULL elements are left out; a NULL list counts as a row without texts. Emits one row per text,
// and one without text for the number of rows. At most 20 million distinct texts (Exit::kNoRoom).
class TokenCounts {
 public:
  Status Add(const arrow::Array& lists);
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t rows() const { return rows_; }
  // Returns the texts within the limits, most occurrences first, ties by bytes.
  std::vector<std::string> Vocabulary(const VocabularyLimits& limits) const;

 private:
  struct Seen {
    int64_t times = 0;
    int64_t rows = 0;
    int64_t last = -1;  // The latest row with this text, so that a row counts once.
  };
  Result<Seen*> Find(std::string_view text);

  std::unordered_map<std::string, Seen> seen_;
  int64_t rows_ = 0;
};

}  // namespace protium
