// SPDX-License-Identifier: Apache-2.0
// Pairs of columns that together are the label: a count and its parts, a share and what it is of,
// a flag that says which of two numbers is larger.
#pragma once

#include <arrow/record_batch.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leaks/table_profile.h"
#include "leaks/time_columns.h"

namespace protium {

// Whether a cell is NULL or NaN.
bool IsMissing(const arrow::Array& column, int64_t row);

// A cell as a number: dates are days and times microseconds since 1970; nothing for NULL, NaN
// and texts.
std::optional<double> NumberAt(const arrow::Array& column, int64_t row);

// The correlation of two columns, by Welford's updates.
struct LineFit {
  static constexpr int64_t kFewestRows = 20;
  int64_t count = 0;
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;

  void Read(double x, double y) {
    ++count;
    const double dx = x - mean_x, dy = y - mean_y;
    mean_x += dx / double(count);
    mean_y += dy / double(count);
    xx += dx * (x - mean_x);
    yy += dy * (y - mean_y);
    xy += dx * (y - mean_y);
  }
  // 0: too few rows, or a constant.
  double Correlation() const {
    return count >= kFewestRows && xx > 0 && yy > 0 ? std::abs(xy) / std::sqrt(xx * yy) : 0;
  }
};

// Tests every pair of the numbers in a table, of its points in time (time_columns.h), its times of
// day and its texts, of the first 40 of these columns, on some thousand rows. One thread.
class PairLeaks {
 public:
  // For two classes a comparison of the columns may be the label, of texts whether they are equal;
  // for numbers what they add up to, of dates the days between them, and of points in time and
  // numbers their distance in any unit.
  PairLeaks(const TableProfile& table, const std::string& label, bool classes);
  bool idle() const { return alive_.empty() && distances_.empty(); }

  // Takes a row; `label` is its number, or 0 and 1 for two classes. Rows with NULLs say nothing.
  void Read(const arrow::RecordBatch& batch, int64_t row, std::optional<double> label);

  // The reason for each column of a pair that is the label in 99 of 100 rows, unless one of them
  // is among `alone`, the columns that give the label away by themselves.
  std::map<std::string, std::string> Found(const std::map<std::string, std::string>& alone) const;

 private:
  enum class Kind { kNone, kNumber, kTime, kOfDay, kText };  // Columns of one kind are paired.
  struct Place {
    size_t column;
    Kind kind;
    TimeColumn time;
  };
  struct Pair {
    size_t a, b;  // In places_.
    size_t kind;
    int64_t rows = 0, wrong = 0;
    int64_t of_one = 0;  // Of the rows, those whose label is 1.
  };
  struct Distance {  // Of two times, or two numbers.
    size_t a, b;
    LineFit line = {};
  };
  void AddPlaces(const ColumnProfile& column, size_t index);
  bool Relates(const Place& a, const Place& b, size_t relation) const;
  bool MayBeLabel(const Pair& pair) const;
  const std::string& NameAt(size_t place) const;
  std::string WhyOfDistance(const Distance& distance) const;
  std::vector<double> Numbers(const arrow::RecordBatch& batch, int64_t row) const;

  const TableProfile& table_;
  const std::string& label_;
  const bool classes_;
  std::vector<Place> places_;
  std::vector<Pair> alive_;  // Those that may be the label.
  std::vector<Distance> distances_;
  int64_t rows_ = 0;
  int64_t changes_ = 0;  // Of them, those whose label is not that of the row before.
  std::optional<double> before_;
};

}  // namespace protium
