// SPDX-License-Identifier: Apache-2.0
// Pairs of columns that together are the label: a count and its parts, a share and what it is of,
// a flag that says which of two numbers is larger.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leaks/table_profile.h"

namespace protium {

// A cell as a number; nothing for NULL, and for what is no number.
std::optional<double> NumberAt(const arrow::Array& column, int64_t row);

// Tests every pair of the numbers in a table, of its dates, its times and its texts, of the first
// 40 of these columns, on some thousand rows. One thread.
class PairLeaks {
 public:
  // For two classes a comparison of the columns may be the label, of texts whether they are equal;
  // for numbers what they add up to, of dates the days between them.
  PairLeaks(const TableProfile& table, const std::string& label, bool classes);
  bool idle() const { return alive_.empty(); }

  // Takes a row; `label` is its number, or 0 and 1 for two classes. Rows with NULLs say nothing.
  void Read(const arrow::RecordBatch& batch, int64_t row, std::optional<double> label);

  // The reason for each column of a pair that is the label in 99 of 100 rows, unless one of them
  // is among `alone`, the columns that give the label away by themselves.
  std::map<std::string, std::string> Found(const std::map<std::string, std::string>& alone) const;

 private:
  struct Pair {
    size_t a, b;  // In places_.
    size_t kind;
    int64_t rows = 0, wrong = 0;
  };
  std::vector<double> Numbers(const arrow::RecordBatch& batch, int64_t row) const;

  const TableProfile& table_;
  const std::string& label_;
  const bool classes_;
  std::vector<int> places_;  // The columns.
  std::vector<Pair> alive_;  // Those that may be the label.
  int64_t rows_ = 0;
  int64_t of_one_ = 0;   // Of them, rows whose label is 1,
  int64_t changes_ = 0;  // and rows whose label is not that of the row before.
  std::optional<double> before_;
};

}  // namespace protium
