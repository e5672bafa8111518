// SPDX-License-Identifier: Apache-2.0
#include "leaks/leaks.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "column/cells.h"
#include "leaks/label_text.h"
#include "leaks/order_leaks.h"
#include "leaks/other_rows.h"
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
    10;                                // That values are missing seldom tells so much by right.
constexpr int64_t kFewestValues = 20;  // Of a number, which is otherwise looked at value by value.
constexpr double kExact = 1 - 1e-9;    // The correlation of a line, except for rounding.
constexpr double kOnALine = 0.99999;   // What rounding leaves; a strong column may leave more.
constexpr int64_t kMostOrdered = 50'000;  // Rows to order, in each column.
// Of the rows between the extremes of the label: a line through a few giants is no line.
constexpr double kOnALineWithin = 0.9999;
constexpr int64_t kMostInOrder = 20'000;  // Rows that are compared with the next one.
constexpr int64_t kFewestOneClass = 50;   // Rows in which a column is there.
// The rank correlation of a column in the order of the label, but for what rounding leaves.
constexpr double kSameOrder = 0.99999;

// Counts how often each class occurs with each value of one column.
struct ClassCounts {
  bool values = false;          // Otherwise only whether it is NULL,
  std::optional<double> usual;  // or this value.
  std::map<std::string, std::map<std::string, int64_t>> rows;

  void Read(const arrow::Array& column, int64_t row, const std::string& label) {
    ++rows[KindOf(column, row)][label];
  }
  std::string KindOf(const arrow::Array& column, int64_t row) const {
    if (IsMissing(column, row)) return "NULL";
    if (values) return CellText(column, row);
    return usual && NumberAt(column, row) == usual ? "usual" : "";
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

// Whether a column is missing exactly where an amount is 0, as a date of payment is where nothing
// was paid.
struct ZeroCounts {
  int64_t missing_zero = 0, missing_other = 0, there_zero = 0, there_other = 0;

  void Read(bool missing, double amount) {
    ++(missing ? (amount == 0 ? missing_zero : missing_other)
               : (amount == 0 ? there_zero : there_other));
  }
  int64_t rows() const { return missing_zero + missing_other + there_zero + there_other; }
  int64_t Guessing() const {
    return std::min(missing_zero + there_zero, missing_other + there_other);
  }
  int64_t Mistakes() const {
    return std::min(missing_other + there_zero, missing_zero + there_other);
  }
};

struct PossibleTeller {
  int place;
  // Whether it may be the time in which amounts grow: its order says nothing of leaks.
  bool in_time = false;
  bool text = false;
  ClassCounts counts;
  ClassCounts there = {};  // Whether it is NULL, by itself,
  ClassCounts usual = {};  // and whether it is the value that it has in many rows.
  ZeroCounts zeros = {};
  LineFit line = {};
  AmountOrder amounts = {};
  ClassOrder order = {};  // Of the classes of the label, or of the values among amounts.
  std::map<std::string, int> codes = {};  // Of the values.
  LabelInText words = {};
  NextLabel next = {};
  GroupMean means = {};
};

// Dates and times, and whole numbers that are years.
bool IsInTime(const ColumnProfile& column) {
  constexpr double kFirstYear = 1500, kLastYear = 2200;
  if (arrow::is_temporal(column.type->id())) return true;
  if (!arrow::is_integer(column.type->id())) return false;
  const auto least = AllAsNumber<double>(column.least),
             greatest = AllAsNumber<double>(column.greatest);
  return least && greatest && *least >= kFirstYear && *greatest <= kLastYear;
}

// The value that an amount has in many rows, as a number that is 0 where nothing was recorded.
std::optional<double> UsualValue(const ColumnProfile& column) {
  if (!IsNumber(*column.type) || column.distinct < kFewestValues || column.top.empty()) {
    return std::nullopt;
  }
  return AllAsNumber<double>(column.top.front().first);
}

std::vector<PossibleTeller> CandidatesIn(const TableProfile& table, const std::string& label,
                                         bool classes) {
  std::vector<PossibleTeller> out;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnProfile& each = table.columns[i];
    if (each.name == label || each.distinct == 0) continue;
    const bool few = each.exact && each.distinct <= kMostValues &&
                     each.distinct * kRowsOfValue <= table.rows &&
                     !arrow::is_floating(each.type->id()) && !arrow::is_decimal(each.type->id());
    out.push_back({.place = int(i),
                   .in_time = IsInTime(each),
                   .text = each.type->id() == arrow::Type::STRING,
                   .counts = {.values = few}});
    if (classes) out.back().usual.usual = UsualValue(each);
  }
  return out;
}

std::string WhereText(int64_t mistakes, int64_t rows) {
  if (mistakes == 0) return "every row";
  return fmt::format("all but {} of {} rows", Grouped(mistakes), Grouped(rows));
}

std::string WhyOfNumber(PossibleTeller& each, const std::string& label) {
  const double correlation = each.line.Correlation();
  if (correlation > kExact) return "is a linear function of " + label;
  if (correlation > kOnALine && each.amounts.InnerCorrelation() > kOnALineWithin) {
    return fmt::format("is nearly a linear function of {} (correlation {:.6f})", label,
                       correlation);
  }
  if (each.amounts.IsRounded()) {
    return fmt::format("is a linear function of {}, but for rounding (correlation {:.6f})", label,
                       correlation);
  }
  const double of_ranks = each.in_time ? 0 : each.amounts.RankCorrelation();
  if (of_ranks > kExact) return "is a monotonic function of " + label;
  if (of_ranks > kSameOrder) {
    return fmt::format("is nearly a monotonic function of {} (rank correlation {:.6f})", label,
                       of_ranks);
  }
  if (!each.in_time && each.amounts.SortsLabels()) return "sorts the rows as " + label + " does";
  const int64_t guessing = each.zeros.Guessing(), mistakes = each.zeros.Mistakes();
  if (guessing >= kFewestMistakes && mistakes * kPerMistake <= guessing) {
    return fmt::format("gives away where {} is 0 in {}, by whether it is missing", label,
                       WhereText(mistakes, each.zeros.rows()));
  }
  if (each.in_time) return {};
  const ClassOrder::Counts ranges = each.order.Count();
  if (ranges.guessing < kFewestMistakes || ranges.mistakes * kPerMistake > ranges.guessing) {
    return {};
  }
  return fmt::format("gives away which range {} is in, in {}", label,
                     WhereText(ranges.mistakes, ranges.rows));
}

// Whether a column is there in the rows of one class only, although not in all of them: chance does
// that with probability `share` to the power of the rows. That one is only missing for a class says
// less: what is not asked of children is missing only where nobody is married.
std::string WhyOfOneClass(const ClassCounts& there, const ClassCounts& alone,
                          const std::string& label, int64_t rows) {
  constexpr double kChance = 1e-9, kMostUsual = 0.9;
  const auto found = there.rows.find("");
  if (found == there.rows.end() || found->second.size() != 1 || there.rows.size() < 2) return {};
  const auto& [name, count] = *found->second.begin();
  if (count < kFewestOneClass) return {};
  int64_t of_class = 0;
  for (const auto& [any, all] : alone.rows) of_class += all.contains(name) ? all.at(name) : 0;
  const double share = double(of_class) / double(rows);
  if (share > kMostUsual || std::pow(share, double(count)) > kChance) return {};
  return fmt::format("is present only where {} is {}, in {} rows", label, name, Grouped(count));
}

// What a column says of this label by its texts or by other rows.
std::string WhyOfOthers(const PossibleTeller& each, const std::string& label, bool classes,
                        bool whole) {
  if (each.words.telling()) {
    return fmt::format("contains {} as text in {}", label,
                       WhereText(each.words.without(), each.words.rows()));
  }
  if (each.next.telling()) {
    return fmt::format("is {} of the next row in {}", label,
                       WhereText(each.next.wrong(), each.next.rows()));
  }
  if (!whole || !each.means.telling(classes)) return {};
  return fmt::format("is the mean of {} over groups of rows, each row among its own group", label);
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
  if (each.usual.usual && each.usual.Mistakes() * kPerMistakeOfNulls <= guessing) {
    return fmt::format("gives {} away in {}, by whether it is {}{}", label,
                       WhereText(each.usual.Mistakes(), rows), *each.usual.usual,
                       each.usual.rows.contains("NULL") ? " or missing" : "");
  }
  const ClassOrder::Counts order = each.order.Count();
  if (order.guessing >= kFewestMistakes && order.mistakes * kPerMistake <= order.guessing) {
    return fmt::format("gives {} away in {}, by its sort order alone", label,
                       WhereText(order.mistakes, order.rows));
  }
  return WhyOfOneClass(each.there, alone, label, rows);
}

// What is learned of the columns, a row at a time.
class Reading {
 public:
  Reading(const TableProfile& table, const std::string& label, bool classes)
      : table_(table),
        label_(label),
        classes_(classes),
        in_order_(table.rows <= kMostRows),
        candidates_(CandidatesIn(table, label, classes)),
        pairs_(table, label, classes) {}

  bool idle() const { return candidates_.empty() && pairs_.idle(); }

  void Read(const arrow::RecordBatch& batch, int64_t row, const arrow::Array& labels) {
    ++count_;
    const std::string text = classes_ ? CellText(labels, row) : std::string();
    if (classes_) alone_.Read(labels, row, text);
    const int number = numbers_.try_emplace(text, int(numbers_.size())).first->second;
    const auto y = NumberAt(labels, row);
    const auto amount = classes_ ? std::optional<double>() : y;
    const std::string word = classes_ ? text : std::string();
    for (PossibleTeller& each : candidates_) {
      const arrow::Array& column = *batch.column(each.place);
      const auto x = NumberAt(column, row);
      if (in_order_ && count_ <= kMostInOrder) each.next.Read(column, labels, row);
      if (each.text && !column.IsNull(row)) {
        each.words.Read(static_cast<const arrow::StringArray&>(column).GetView(row), word, amount);
      }
      if (classes_) {
        ReadForClasses(each, column, row, text, number);
      } else if (y) {
        ReadForAmount(each, column, row, *y);
      }
      if (x && !each.in_time) each.means.Read(*x, classes_ ? (number > 0 ? 1 : 0) : y.value_or(0));
    }
    pairs_.Read(batch, row, classes_ ? std::optional<double>(number > 0 ? 1 : 0) : y);
  }

  Leaks Found() {
    Leaks leaks;
    for (PossibleTeller& each : candidates_) {
      std::string why =
          classes_ ? WhyOfClasses(each, label_, alone_, count_) : WhyOfNumber(each, label_);
      if (why.empty()) why = WhyOfOthers(each, label_, classes_, in_order_);
      if (!why.empty()) leaks.insert_or_assign(table_.columns[size_t(each.place)].name, why);
    }
    leaks.merge(pairs_.Found(leaks));
    return leaks;
  }

 private:
  void ReadForClasses(PossibleTeller& each, const arrow::Array& column, int64_t row,
                      const std::string& text, int number) {
    each.there.Read(column, row, text);
    if (each.counts.values) each.counts.Read(column, row, text);
    if (each.usual.usual) each.usual.Read(column, row, text);
    const auto x = NumberAt(column, row);
    if (x && Spread()) each.order.Read(*x, number);
  }
  void ReadForAmount(PossibleTeller& each, const arrow::Array& column, int64_t row, double y) {
    each.zeros.Read(IsMissing(column, row), y);
    if (each.counts.values && Spread() && !column.IsNull(row)) {
      const auto code = each.codes.try_emplace(CellText(column, row), int(each.codes.size()));
      each.order.Read(y, code.first->second);
    }
    const auto x = NumberAt(column, row);
    if (!x) return;
    each.line.Read(*x, y);
    if (Spread()) each.amounts.Read(*x, y);
  }
  // Whether this row is one of those that are ordered.
  bool Spread() const {
    const int64_t every = std::max<int64_t>(std::min(table_.rows, kMostRows) / kMostOrdered, 1);
    return count_ % every == 0;
  }

  const TableProfile& table_;
  const std::string& label_;
  const bool classes_;
  const bool in_order_;  // All rows are read.
  std::vector<PossibleTeller> candidates_;
  PairLeaks pairs_;
  ClassCounts alone_;
  std::map<std::string, int> numbers_;  // Of the classes, as they come; of two, 1 is positive.
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
