// SPDX-License-Identifier: Apache-2.0
// What the order of a column's values says about the label: an id in a table that was sorted, a
// date that only some outcomes reach, the logarithm of a price. One thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace protium {

// How well limits in the order of a column alone tell a few classes apart, each of which lies
// between two of them.
class ClassOrder {
 public:
  // `label` is the number of a class, from 0.
  void Read(double value, int label);

  struct Counts {
    int64_t rows = 0;
    int64_t guessing = 0;  // Rows that are not of the most frequent class,
    int64_t mistakes = 0;  // and those on the wrong side of a limit.
  };
  // Sorts the rows. With more than 50 classes nothing is told apart: all guesses are mistakes.
  Counts Count();

 private:
  std::vector<std::pair<double, int>> rows_;
};

// How well the order of a column's values agrees with that of a label that is an amount.
class AmountOrder {
 public:
  void Read(double value, double label);

  // The correlation among the rows whose label is neither in the lowest tenth nor in the highest:
  // a few giants do not decide it. 0 where it is that of too few rows.
  double InnerCorrelation() const;

  // Whether either is the other on a line but for its rounding, as years of age are of a date of
  // birth: it has a step, 20 values or more, and lies within half a step of the line.
  bool IsRounded() const;

  // Whether the rows are in the order of the label when they are in that of the value, but for one
  // in a thousand; labels may be equal, and values are nearly all different, as those of an id in a
  // table that was sorted by whole numbers.
  bool SortsLabels() const;

  // Spearman's rank correlation without its sign, equal values with their mean rank; 0 where it
  // is clearly below 0.999, or there are fewer than 100 rows or 50 different values of either.
  double RankCorrelation() const;

 private:
  std::vector<double> values_, labels_;
};

}  // namespace protium
