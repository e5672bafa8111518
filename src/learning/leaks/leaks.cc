// SPDX-License-Identifier: Apache-2.0
#include "leaks/leaks.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "column/cells.h"
#include "leaks/pair_leaks.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr int64_t kMostRows = 200'000;
constexpr int64_t kMostValues = 50;      // For a column whose values are examined one by one.
constexpr int64_t kRowsOfValue = 20;     // On average, or chance would give the label away.
constexpr int64_t kFewestMistakes = 20;  // Made by guessing.
constexpr int64_t kPerMistake = 50;
constexpr int64_t kPerMistakeOfNulls =
    10;                                   // That values are missing seldom tells so much by right.
constexpr double kExact = 1 - 1e-9;       // The correlation of a line, except for rounding.
constexpr double kStraight = 0.99999;     // What rounding leaves; a strong column may leave more.
constexpr int64_t kMostOrdered = 50'000;  // Rows to order, in each column.

// Counts how often each class occurs with each value of one column.
struct ClassCounts {
  bool values = false;  // Otherwise only whether it is NULL.
  std::map<std::string, std::map<std::string, int64_t>> rows;

  void Read(const arrow::Array& column, int64_t row, const std::string& label) {
    const bool null = column.IsNull(row);
    ++rows[values && !null ? CellText(column, row) : null ? "NULL" : ""][label];
  }
  // Rows whose class is not the most frequent one for their value.
  int64_t Mistakes() const {
    int64_t mistakes = 0;
    for (const auto& [value, classes] : rows) {
      int64_t all = 0, most = 0;
      for (const auto& [name, count] : classes) {
        all += count;
        most = std::max(most, count);
      }
      mistakes += all - most;
    }
    return mistakes;
  }
};

// The correlation of two columns, by Welford's updates.
struct LineFit {
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
    return count >= kRowsOfValue && xx > 0 && yy > 0 ? std::abs(xy) / std::sqrt(xx * yy) : 0;
  }
};

// How well the order of a number alone tells two classes apart.
struct ClassOrder {
  std::vector<std::pair<double, bool>> rows;

  void Read(double value, bool positive) {
    if (int64_t(rows.size()) < kMostOrdered) rows.emplace_back(value, positive);
  }
  // The rows of the smaller class.
  int64_t Guessing() const {
    const auto positives = std::ranges::count_if(rows, [](const auto& row) { return row.second; });
    return std::min(int64_t(positives), int64_t(rows.size()) - int64_t(positives));
  }
  // The rows on the wrong side of the best limit between the classes, in whichever direction.
  // Sorts them.
  int64_t Mistakes() {
    std::ranges::sort(rows);
    const auto all = std::ranges::count_if(rows, [](const auto& row) { return row.second; });
    int64_t best = int64_t(rows.size()), positives = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      positives += rows[i].second ? 1 : 0;
      if (i + 1 < rows.size() && rows[i + 1].first == rows[i].first) continue;
      const int64_t below = int64_t(i) + 1;
      // Were all below the limit negative, and all others positive.
      const int64_t wrong = positives + (int64_t(rows.size()) - below - (all - positives));
      best = std::min({best, wrong, int64_t(rows.size()) - wrong});
    }
    return best;
  }
};

struct PossibleTeller {
  int place;
  ClassCounts counts;
  ClassCounts there = {};  // Whether it is NULL, by itself.
  LineFit line;
  ClassOrder order;
};

std::vector<PossibleTeller> CandidatesIn(const TableProfile& table, const std::string& label,
                                         bool classes) {
  std::vector<PossibleTeller> out;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnProfile& each = table.columns[i];
    if (each.name == label || each.distinct == 0) continue;
    const bool number = IsNumber(*each.type);
    const bool few = each.exact && each.distinct <= kMostValues &&
                     each.distinct * kRowsOfValue <= table.rows &&
                     !arrow::is_floating(each.type->id()) && !arrow::is_decimal(each.type->id());
    const bool asked = number || (classes && (few || each.nulls > 0));
    if (asked) out.push_back({.place = int(i), .counts = {.values = few}});
  }
  return out;
}

std::string WhyOfNumber(const PossibleTeller& each, const std::string& label) {
  const double correlation = each.line.Correlation();
  if (correlation > kExact) return "is " + label + " times a number, plus another";
  if (correlation <= kStraight) return {};
  return fmt::format("follows {} on a line (correlation {:.4f})", label, correlation);
}

std::string WhereText(int64_t mistakes, int64_t rows) {
  if (mistakes == 0) return "every row";
  return fmt::format("all but {} of {} rows", Grouped(mistakes), Grouped(rows));
}

// Returns nothing if the column reveals no more than is acceptable.
std::string WhyOfClasses(PossibleTeller& each, const std::string& label, const ClassCounts& alone,
                         int64_t rows) {
  const int64_t guessing = alone.Mistakes();
  if (guessing < kFewestMistakes) return {};
  const int64_t by_nulls = each.there.Mistakes();
  if (by_nulls * kPerMistakeOfNulls <= guessing) {
    return fmt::format("gives {} away in {}, by whether it is missing", label,
                       WhereText(by_nulls, rows));
  }
  if (each.counts.values && each.counts.Mistakes() * kPerMistake <= guessing) {
    return fmt::format("gives {} away in {}", label, WhereText(each.counts.Mistakes(), rows));
  }
  const int64_t fewer = each.order.Guessing(), by_order = each.order.Mistakes();
  if (fewer < kFewestMistakes || by_order * kPerMistake > fewer) return {};
  return fmt::format("gives {} away in {}, by its sort order alone", label,
                     WhereText(by_order, int64_t(each.order.rows.size())));
}

// What is learned of the columns, a row at a time.
class Reading {
 public:
  Reading(const TableProfile& table, const std::string& label, bool classes)
      : table_(table),
        label_(label),
        classes_(classes),
        candidates_(CandidatesIn(table, label, classes)),
        pairs_(table, label, classes) {}

  bool idle() const { return candidates_.empty() && pairs_.idle(); }

  void Read(const arrow::RecordBatch& batch, int64_t row, const arrow::Array& labels) {
    ++count_;
    const std::string text = classes_ ? CellText(labels, row) : std::string();
    if (classes_) alone_.Read(labels, row, text);
    if (first_.empty()) first_ = text;
    const bool positive = text != first_;
    const auto y = NumberAt(labels, row);
    for (PossibleTeller& each : candidates_) {
      const arrow::Array& column = *batch.column(each.place);
      const auto x = NumberAt(column, row);
      if (classes_) each.there.Read(column, row, text);
      if (each.counts.values) each.counts.Read(column, row, text);
      if (classes_ && x && Spread()) each.order.Read(*x, positive);
      if (!classes_ && x && y) each.line.Read(*x, *y);
    }
    pairs_.Read(batch, row, classes_ ? std::optional<double>(positive ? 1 : 0) : y);
  }

  Leaks Found() {
    Leaks leaks;
    const bool two = Classes() == 2;
    for (PossibleTeller& each : candidates_) {
      if (!two) each.order.rows.clear();
      const std::string why =
          classes_ ? WhyOfClasses(each, label_, alone_, count_) : WhyOfNumber(each, label_);
      if (!why.empty()) leaks.insert_or_assign(table_.columns[size_t(each.place)].name, why);
    }
    leaks.merge(pairs_.Found(leaks));
    return leaks;
  }

 private:
  // Whether this row is one of those that are ordered.
  bool Spread() const {
    const int64_t every = std::max<int64_t>(std::min(table_.rows, kMostRows) / kMostOrdered, 1);
    return count_ % every == 0;
  }
  size_t Classes() const { return alone_.rows.empty() ? 0 : alone_.rows.begin()->second.size(); }

  const TableProfile& table_;
  const std::string& label_;
  const bool classes_;
  std::vector<PossibleTeller> candidates_;
  PairLeaks pairs_;
  ClassCounts alone_;
  std::string first_;  // The class of the first row; of two classes, the other one is positive.
  int64_t count_ = 0;
};

}  // namespace

Result<Leaks> FindLeaks(BatchStream& rows, const TableProfile& table, const std::string& label,
                        bool classes) {
  Reading reading(table, label, classes);
  const int place = rows.schema()->GetFieldIndex(label);
  if (reading.idle() || place < 0) return Leaks();
  // Spread evenly: the first rows of a sorted table are of one class.
  const int64_t every = (table.rows + kMostRows - 1) / kMostRows;
  int64_t number = 0;
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, rows.Next());
    if (!batch) break;
    const arrow::Array& labels = *batch->column(place);
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      if (number++ % std::max<int64_t>(every, 1) != 0 || labels.IsNull(row)) continue;
      reading.Read(*batch, row, labels);
    }
  }
  return reading.Found();
}

std::vector<std::string> LeakLines(const Leaks& leaks) {
  std::vector<std::string> lines;
  for (const auto& [column, why] : leaks) lines.push_back(column + " " + why);
  return lines;
}

}  // namespace protium
