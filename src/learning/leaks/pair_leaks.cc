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

std::optional<double> NumberAt(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return std::nullopt;
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
constexpr double kRounding = 1e-6;  // Relative: labels are often rounded.

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

// Columns of one kind are paired; those of none are not.
enum class PairedKind { kNone, kNumber, kDate, kTime, kText };

PairedKind PairedKindOf(const arrow::DataType& type) {
  if (IsNumber(type)) return PairedKind::kNumber;
  if (type.id() == arrow::Type::DATE32) return PairedKind::kDate;
  if (type.id() == arrow::Type::TIMESTAMP) return PairedKind::kTime;
  return type.id() == arrow::Type::STRING ? PairedKind::kText : PairedKind::kNone;
}

// Whether a relation makes sense of such columns.
bool Relates(PairedKind kind, size_t relation, bool classes) {
  if (kind == PairedKind::kText) return classes && relation < kEqualities;
  return kind == PairedKind::kNumber || classes ||
         (kind == PairedKind::kDate && relation == kDifference);
}

// A cell as a number that compares as it does; of a text, one that is equal for equal texts.
double PairedValue(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return std::numeric_limits<double>::quiet_NaN();
  switch (column.type_id()) {
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Array&>(column).Value(row);
    case arrow::Type::TIMESTAMP:
      return double(static_cast<const arrow::TimestampArray&>(column).Value(row));
    case arrow::Type::STRING:
      return double(CellHash(column, row) >> 11);  // As many bits as a double has.
    default:
      return NumberAt(column, row).value_or(std::numeric_limits<double>::quiet_NaN());
  }
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
    const bool varies = each.distinct > 1 && each.same_as.empty();
    const bool paired = PairedKindOf(*each.type) != PairedKind::kNone;
    if (each.name != label && varies && paired) places_.push_back(int(i));
  }
  const auto kind_of = [&](size_t place) {
    return PairedKindOf(*table.columns[size_t(places_[place])].type);
  };
  const std::span<const Relation> relations = RelationsOf(classes);
  for (size_t a = 0; a < places_.size(); ++a) {
    for (size_t b = 0; b < places_.size(); ++b) {
      if (kind_of(a) != kind_of(b)) continue;
      for (size_t kind = 0; kind < relations.size(); ++kind) {
        if (!Relates(kind_of(a), kind, classes)) continue;
        if (a < b || (a != b && !relations[kind].both_ways)) alive_.push_back({a, b, kind});
      }
    }
  }
}

std::vector<double> PairLeaks::Numbers(const arrow::RecordBatch& batch, int64_t row) const {
  std::vector<double> numbers;
  numbers.reserve(places_.size());
  for (const int place : places_) numbers.push_back(PairedValue(*batch.column(place), row));
  return numbers;
}

// A pair that is wrong too often already is dropped, so that few are left after some rows.
void PairLeaks::Read(const arrow::RecordBatch& batch, int64_t row, std::optional<double> label) {
  if (!label || alive_.empty() || rows_ >= kMostPairRows) return;
  ++rows_;
  of_one_ += *label == 1 ? 1 : 0;
  changes_ += before_ != label ? 1 : 0;
  before_ = label;
  const std::vector<double> numbers = Numbers(batch, row);
  const std::span<const Relation> relations = RelationsOf(classes_);
  for (Pair& each : alive_) {
    const double a = numbers[each.a], b = numbers[each.b];
    if (std::isnan(a) || std::isnan(b)) continue;
    const double made = relations[each.kind].of(a, b);
    if (std::isnan(made)) continue;
    ++each.rows;
    if (!IsLabel(made, *label)) ++each.wrong;
  }
  std::erase_if(alive_, [](const Pair& each) {
    return double(each.wrong) > kMostWrong * double(std::max(each.rows, 2 * kFewestPairRows));
  });
}

std::map<std::string, std::string> PairLeaks::Found(
    const std::map<std::string, std::string>& alone) const {
  std::map<std::string, std::string> found;
  // Of a label that is nearly always the same, a pair that is always that knows nothing.
  const int64_t telling = classes_ ? std::min(of_one_, rows_ - of_one_) : changes_;
  if (rows_ < kFewestPairRows || telling < kFewestPairRows / 2) return found;
  for (const Pair& each : alive_) {
    // Where most rows have a NULL, the others say little about the label.
    if (each.rows < std::max(kFewestPairRows, rows_ / 2)) continue;
    if (each.wrong * kPerWrong > telling) continue;
    const std::string& a = table_.columns[size_t(places_[each.a])].name;
    const std::string& b = table_.columns[size_t(places_[each.b])].name;
    // The other one would be blamed for it.
    if (alone.contains(a) || alone.contains(b)) continue;
    const std::string made = fmt::format(fmt::runtime(RelationsOf(classes_)[each.kind].says), a, b);
    const std::string where =
        each.wrong == 0 ? "every row" : fmt::format("all but {} of {} rows", each.wrong, each.rows);
    const std::string why =
        classes_ ? fmt::format("gives {0} away: {0} is {1} in {2}", label_, made, where)
                 : fmt::format("is a part of {} = {} in {}", label_, made, where);
    found.emplace(a, why);
    found.emplace(b, why);
  }
  return found;
}

}  // namespace protium
