// SPDX-License-Identifier: Apache-2.0
// Duplicates across a split: a model that has seen a row may remember it instead of predicting it.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct TwinRows {
  int64_t rows = 0;   // The held-out rows that were looked at.
  int64_t twins = 0;  // Those with a training row of equal inputs and an equal label.
  // Pairs of a held-out row and a training row with equal inputs: the share of them with different
  // labels, averaged over the rows that are in such a pair, and what chance would give.
  double other_labels = 0, other_by_chance = 0;

  // Whether the twins are copies of rows: at least one in a hundred and ten of them, whose labels
  // agree much better than those of rows that are alike by chance, as they are where inputs have
  // few values.
  bool telling() const;
};

// Compares `inputs` and `label` by hashes of 64 bits; NULL equals NULL. Rows without a label are
// left out. Invalid if a column is missing.
Result<TwinRows> FindTwins(const arrow::RecordBatchVector& train,
                           const arrow::RecordBatchVector& test,
                           const std::vector<std::string>& inputs, const std::string& label);

}  // namespace protium
