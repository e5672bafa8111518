// SPDX-License-Identifier: Apache-2.0
#include "inspect/leaks.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "column/cells.h"
#include "column/decimals.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr int64_t kMostRows = 200'000;
constexpr int64_t kMostValues = 50;      // For a column whose values are examined one by one.
constexpr int64_t kRowsOfValue = 20;     // On average, or chance would give the label away.
constexpr int64_t kFewestMistakes = 20;  // Made by guessing.
constexpr int64_t kPerMistake = 50;
constexpr double kStraight = 1 - 1e-9;  // The correlation of values on a line, except for rounding.

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
  bool Straight() const {
    return count >= kRowsOfValue && xx > 0 && yy > 0 &&
           std::abs(xy) / std::sqrt(xx * yy) > kStraight;
  }
};

struct PossibleTeller {
  int place;
  ClassCounts counts;
  LineFit line;
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
    const bool asked = classes ? few || each.nulls > 0 : number;
    if (asked) out.push_back({.place = int(i), .counts = {.values = few}});
  }
  return out;
}

// Returns nothing if the column reveals no more than is acceptable.
std::string WhyTelling(const PossibleTeller& each, const std::string& label, bool classes,
                       const ClassCounts& alone, int64_t rows) {
  if (!classes) {
    return each.line.Straight() ? "is " + label + " times a number, plus another" : std::string();
  }
  const int64_t guessing = alone.Mistakes(), mistakes = each.counts.Mistakes();
  if (guessing < kFewestMistakes || mistakes * kPerMistake > guessing) return {};
  const std::string where =
      mistakes == 0 ? "every row"
                    : fmt::format("all but {} of {} rows", Grouped(mistakes), Grouped(rows));
  const char* const how = each.counts.values ? "" : ", by being there or not";
  return fmt::format("gives {} away in {}{}: target leakage?", label, where, how);
}

}  // namespace

Result<Leaks> FindLeaks(BatchStream& rows, const TableProfile& table, const std::string& label,
                        bool classes) {
  std::vector<PossibleTeller> candidates = CandidatesIn(table, label, classes);
  const int place = rows.schema()->GetFieldIndex(label);
  if (candidates.empty() || place < 0) return Leaks();
  ClassCounts alone;
  int64_t count = 0;
  while (count < kMostRows) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, rows.Next());
    if (!batch) break;
    const arrow::Array& labels = *batch->column(place);
    for (int64_t row = 0; row < batch->num_rows() && count < kMostRows; ++row) {
      if (labels.IsNull(row)) continue;
      ++count;
      const std::string text = classes ? CellText(labels, row) : std::string();
      const auto y = NumberAt(labels, row);
      if (classes) alone.Read(labels, row, text);
      for (PossibleTeller& each : candidates) {
        const arrow::Array& column = *batch->column(each.place);
        if (classes) each.counts.Read(column, row, text);
        const auto x = classes ? std::nullopt : NumberAt(column, row);
        if (x && y) each.line.Read(*x, *y);
      }
    }
  }
  Leaks leaks;
  for (const PossibleTeller& each : candidates) {
    const std::string why = WhyTelling(each, label, classes, alone, count);
    if (!why.empty()) leaks.emplace(table.columns[size_t(each.place)].name, why);
  }
  return leaks;
}

}  // namespace protium
