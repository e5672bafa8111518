// SPDX-License-Identifier: Apache-2.0
// What a column holds of the labels of other rows, which are not known when a row is predicted: the
// label of the next row, or a mean over rows among which is its own.
#pragma once

#include <arrow/array.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace protium {

// Compares each cell with the label of the row behind it. Rows come in the order of the table, none
// left out.
class NextLabel {
 public:
  void Read(const arrow::Array& column, const arrow::Array& labels, int64_t row);

  int64_t rows() const { return rows_; }
  int64_t wrong() const { return wrong_; }
  // Whether the cells are the next labels, but for one for each 20 changes of the label: rows of
  // several series follow each other.
  bool telling() const;

 private:
  int64_t rows_ = 0, wrong_ = 0, changes_ = 0;
  std::optional<uint64_t> cell_, label_;  // Of the row before.
};

// Means of the label over the rows that share a value.
class GroupMean {
 public:
  void Read(double value, double label);

  // Whether nearly each value is the mean of the label (of classes, of being the one or the other)
  // over its rows, of 8 values or more that have several, among which labels differ.
  bool telling(bool classes) const;

 private:
  struct Group {
    int64_t rows = 0;
    double sum = 0, least = 0, greatest = 0;
  };
  std::map<double, Group> groups_;
  bool many_ = false;  // Too many values.
};

}  // namespace protium
