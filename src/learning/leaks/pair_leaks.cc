// SPDX-License-Identifier: Apache-2.0
#include "leaks/pair_leaks.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "column/cells.h"
#include "column/decimals.h"

namespace protium {

bool IsMissing(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return true;
  const bool single = column.type_id() == arrow::Type::FLOAT;
  if (single) return std::isnan(static_cast<const arrow::FloatArray&>(column).Value(row));
  return column.type_id() == arrow::Type::DOUBLE &&
         std::isnan(static_cast<const arrow::DoubleArray&>(column).Value(row));
}

std::optional<double> NumberAt(const arrow::Array& column, int64_t row) {
  if (IsMissing(column, row)) return std::nullopt;
  switch (column.type_id()) {
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(column).Value(row);
    case arrow::Type::INT64:
      return double(static_cast<const arrow::Int64Array&>(column).Value(row));
    case arrow::Type::FLOAT:
      return static_cast<const arrow::FloatArray&>(column).Value(row);
    case arrow::Type::DOUBLE:
      return static_cast<const arrow::DoubleArray&>(column).Value(row);
    case arrow::Type::DECIMAL128:
      return NearestDouble(static_cast<const arrow::Decimal128Array&>(column), row);
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Array&>(column).Value(row);
    case arrow::Type::TIMESTAMP:
      return double(static_cast<const arrow::TimestampArray&>(column).Value(row));
    default:
      return std::nullopt;
  }
}

namespace {

constexpr size_t kMostPaired = 40;
constexpr int64_t kMostPairRows = 20'000;
constexpr int64_t kFewestPairRows = 50;
constexpr double kMostWrong = 0.01;  // Of the rows of a pair that is the label.
// Rows in which the label is not what guessing gives, for each in which the pair is wrong.
constexpr int64_t kPerWrong = 50;
constexpr double kOfDistance = 0.999;  // Of two times: what is left where days are rounded down.
constexpr double kStraight = 0.99999;  // Of two numbers, of which one alone may say much.
constexpr double kRounding = 1e-6;     // Relative: labels are often rounded.

struct Relation {
  double (*of)(double a, double b);
  bool both_ways;    // Whether a and b may be exchanged.
  const char* says;  // "{0}" and "{1}" are the columns.
};

constexpr Relation kAmounts[] = {
    {[](double a, double b) { return a + b; }, true, "{0} + {1}"},
    {[](double a, double b) { return a - b; }, false, "{0} - {1}"},
    {[](double a, double b) { return a * b; }, true, "{0} * {1}"},
    {[](double a, double b) { return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b; },
     false, "{0} / {1}"}};

constexpr Relation kComparisons[] = {
    {[](double a, double b) { return a == b ? 1.0 : 0.0; }, true, "whether {0} = {1}"},
    {[](double a, double b) { return a != b ? 1.0 : 0.0; }, true, "whether {0} = {1}"},
    {[](double a, double b) { return a > b ? 1.0 : 0.0; }, false, "whether {0} > {1}"},
    {[](double a, double b) { return a >= b ? 1.0 : 0.0; }, false, "whether {0} >= {1}"}};

std::span<const Relation> RelationsOf(bool classes) {
  return classes ? std::span<const Relation>(kComparisons) : std::span<const Relation>(kAmounts);
}
constexpr size_t kDifference = 1;  // Among kAmounts.
constexpr size_t kEqualities = 2;  // The first of kComparisons.

constexpr double kDay = 86'400e6;  // In microseconds.

// A cell as a number that compares as it does; of a text, one that is equal for equal texts.
double PairedValue(const arrow::Array& column, int64_t row) {
  const bool text = column.type_id() == arrow::Type::STRING && !column.IsNull(row);
  if (text) return double(CellHash(column, row) >> 11);  // As many bits as a double has.
  return NumberAt(column, row).value_or(std::numeric_limits<double>::quiet_NaN());
}

bool IsLabel(double made, double label) {
  const double scale = std::max({std::abs(made), std::abs(label), kRounding});
  return std::abs(made - label) <= kRounding * scale;
}

}  // namespace

PairLeaks::PairLeaks(const TableProfile& table, const std::string& label, bool classes)
    : table_(table), label_(label), classes_(classes) {
  const ColumnProfile* const own = table.Find(label);
  if (own == nullptr || (classes && own->distinct != 2)) return;
  for (size_t i = 0; i < table.columns.size() && places_.size() < kMostPaired; ++i) {
    const ColumnProfile& each = table.columns[i];
    if (each.name != label && each.distinct > 1 && each.same_as.empty()) AddPlaces(each, i);
  }
  const size_t relations = RelationsOf(classes).size();
  for (size_t a = 0; a < places_.size(); ++a) {
    for (size_t b = 0; b < places_.size(); ++b) {
      if (places_[a].kind != places_[b].kind) continue;
      const bool measured = places_[a].kind != Kind::kText && !classes && a < b;
      if (measured) distances_.push_back({.a = a, .b = b});
      for (size_t kind = 0; kind < relations; ++kind) {
        if (!Relates(places_[a], places_[b], kind)) continue;
        if (a < b || (a != b && !RelationsOf(classes)[kind].both_ways)) {
          alive_.push_back({a, b, kind});
        }
      }
    }
  }
}

// Numbers that may count seconds are both.
void PairLeaks::AddPlaces(const ColumnProfile& column, size_t index) {
  const TimeColumn time(column);
  const bool number = IsNumber(*column.type);
  if (number) places_.push_back({index, Kind::kNumber, time});
  if (time.form() == TimeColumn::Form::kOfDay) {
    places_.push_back({index, Kind::kOfDay, time});
  } else if (time.form() != TimeColumn::Form::kNone) {
    places_.push_back({index, Kind::kTime, time});
  } else if (column.type->id() == arrow::Type::STRING) {
    places_.push_back({index, Kind::kText, time});
  }
}

// Whether a relation makes sense of such columns.
bool PairLeaks::Relates(const Place& a, const Place& b, size_t relation) const {
  if (a.kind == Kind::kText) return classes_ && relation < kEqualities;
  if (a.kind == Kind::kNumber || classes_) return true;
  const bool dates =
      a.time.form() == TimeColumn::Form::kDate && b.time.form() == TimeColumn::Form::kDate;
  return dates && relation == kDifference;
}

const std::string& PairLeaks::NameAt(size_t place) const {
  return table_.columns[places_[place].column].name;
}

std::vector<double> PairLeaks::Numbers(const arrow::RecordBatch& batch, int64_t row) const {
  std::vector<double> numbers;
  numbers.reserve(places_.size());
  for (const Place& each : places_) {
    const arrow::Array& column = *batch.column(int(each.column));
    const bool time = each.kind == Kind::kTime || each.kind == Kind::kOfDay;
    numbers.push_back(time ? each.time.At(column, row) : PairedValue(column, row));
  }
  return numbers;
}

// A pair that is wrong too often already is dropped, so that few are left after some rows.
void PairLeaks::Read(const arrow::RecordBatch& batch, int64_t row, std::optional<double> label) {
  if (!label || idle() || rows_ >= kMostPairRows) return;
  ++rows_;
  changes_ += before_ != label ? 1 : 0;
  before_ = label;
  const std::vector<double> numbers = Numbers(batch, row);
  for (Distance& each : distances_) {
    const double distance = numbers[each.b] - numbers[each.a];
    if (!std::isnan(distance)) each.line.Read(distance, *label);
  }
  const std::span<const Relation> relations = RelationsOf(classes_);
  for (Pair& each : alive_) {
    const double a = numbers[each.a], b = numbers[each.b];
    if (std::isnan(a) || std::isnan(b)) continue;
    double made = relations[each.kind].of(a, b);
    if (std::isnan(made)) continue;
    if (!classes_ && places_[each.a].kind == Kind::kTime) made /= kDay;
    ++each.rows;
    each.of_one += *label == 1 ? 1 : 0;
    if (!IsLabel(made, *label)) ++each.wrong;
  }
  std::erase_if(alive_, [](const Pair& each) {
    return double(each.wrong) > kMostWrong * double(std::max(each.rows, 2 * kFewestPairRows));
  });
}

std::string PairLeaks::WhyOfDistance(const Distance& distance) const {
  const double correlation = distance.line.Correlation();
  const std::string &a = NameAt(distance.a), &b = NameAt(distance.b);
  if (places_[distance.a].kind != Kind::kNumber) {
    if (correlation <= kOfDistance) return {};
    return fmt::format("gives {} away: it is the time between {} and {} (correlation {:.4f})",
                       label_, a, b, correlation);
  }
  if (correlation <= kStraight) return {};
  const bool falls = distance.line.xy < 0;
  return fmt::format("gives {} away: it is a linear function of {} - {} (correlation {:.6f})",
                     label_, falls ? a : b, falls ? b : a, correlation);
}

// Where most rows have a NULL, the others say little about the label; and of a label that is
// nearly always the same there, a pair that is always that knows nothing.
bool PairLeaks::MayBeLabel(const Pair& pair) const {
  if (pair.rows < std::max(kFewestPairRows, rows_ / 2)) return false;
  const int64_t telling = classes_ ? std::min(pair.of_one, pair.rows - pair.of_one) : changes_;
  return telling >= kFewestPairRows / 2 && pair.wrong * kPerWrong <= telling;
}

std::map<std::string, std::string> PairLeaks::Found(
    const std::map<std::string, std::string>& alone) const {
  std::map<std::string, std::string> found;
  if (rows_ < kFewestPairRows) return found;
  for (const Pair& each : alive_) {
    if (!MayBeLabel(each)) continue;
    const std::string &a = NameAt(each.a), &b = NameAt(each.b);
    // The other one would be blamed for it.
    if (alone.contains(a) || alone.contains(b)) continue;
    const std::string made = fmt::format(fmt::runtime(RelationsOf(classes_)[each.kind].says), a, b);
    const std::string where =
        each.wrong == 0 ? "every row" : fmt::format("all but {} of {} rows", each.wrong, each.rows);
    const std::string why =
        classes_ ? fmt::format("gives {0} away: {0} is {1} in {2}", label_, made, where)
                 : fmt::format("is part of {} = {} in {}", label_, made, where);
    found.emplace(a, why);
    found.emplace(b, why);
  }
  for (const Distance& each : distances_) {
    if (each.line.count < std::max(kFewestPairRows, rows_ / 2)) continue;
    const std::string why = WhyOfDistance(each);
    const std::string &a = NameAt(each.a), &b = NameAt(each.b);
    if (why.empty() || alone.contains(a) || alone.contains(b)) continue;
    found.emplace(a, why);
    found.emplace(b, why);
  }
  return found;
}

}  // namespace protium
