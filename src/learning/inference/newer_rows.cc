// SPDX-License-Identifier: Apache-2.0
#include "inference/newer_rows.h"

#include <arrow/api.h>
#include <arrow/compute/api.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "column/batches.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// The rows with the columns of kept ones, in their types.
Result<BatchPtr> InTypesOf(const arrow::Schema& kept, const arrow::RecordBatch& rows,
                           const SeriesColumns& series) {
  arrow::ArrayVector columns;
  for (const auto& field : kept.fields()) {
    const std::string& name = field->name();
    const auto column = rows.GetColumnByName(name);
    if (column == nullptr && std::ranges::count(series.values, name) == 0) {
      return Fail({.exit = Exit::kInput, .what = "the rows have no column \"" + name + "\""});
    }
    auto typed = column == nullptr ? arrow::MakeArrayOfNull(field->type(), rows.num_rows())
                                   : arrow::compute::Cast(*column, field->type());
    if (!typed.ok()) {
      return Fail({.exit = Exit::kInput,
                   .what = "column \"" + name + "\" does not fit what the model has learned from",
                   .why = typed.status().message()});
    }
    columns.push_back(std::move(*typed));
  }
  return arrow::RecordBatch::Make(arrow::schema(kept.fields()), rows.num_rows(),
                                  std::move(columns));
}

// A row by its series, in the order in which these come up, its time, and its place.
using Placed = std::tuple<size_t, int64_t, int64_t>;

// Gives series their numbers.
class SeriesNumbers {
 public:
  Result<std::vector<Placed>> Place(const arrow::RecordBatch& rows, const SeriesColumns& series,
                                    int64_t begin) {
    PT_LET(const auto names, SeriesNames(rows, series));
    PT_LET(const auto times, SeriesTimesOf(*rows.GetColumnByName(series.time)));
    std::vector<Placed> placed;
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t number = numbers_.try_emplace(names[i], numbers_.size()).first->second;
      placed.emplace_back(number, times->Value(int64_t(i)), begin + int64_t(i));
    }
    return placed;
  }

 private:
  std::map<std::string, size_t> numbers_;
};

Result<std::string> TextAt(const arrow::RecordBatch& rows, const std::string& column, int64_t row) {
  PT_LET(const auto value, rows.GetColumnByName(column)->GetScalar(row));
  return value->ToString();
}

}  // namespace

Result<BatchPtr> WithNewer(const arrow::RecordBatch& kept, const arrow::RecordBatch& newer,
                           const SeriesColumns& series) {
  PT_LET(const BatchPtr typed, InTypesOf(*kept.schema(), newer, series));
  SeriesNumbers numbers;
  PT_LET(const std::vector<Placed> old, numbers.Place(kept, series, 0));
  PT_LET(std::vector<Placed> rows, numbers.Place(*typed, series, kept.num_rows()));
  std::map<size_t, int64_t> first;
  for (const auto& [number, time, place] : rows) {
    const auto at = first.try_emplace(number, time).first;
    at->second = std::min(at->second, time);
  }
  for (const Placed& each : old) {
    const auto at = first.find(std::get<0>(each));
    if (at == first.end() || std::get<1>(each) < at->second) rows.push_back(each);
  }
  std::ranges::sort(rows);
  std::vector<int64_t> places;
  for (const Placed& each : rows) places.push_back(std::get<2>(each));
  const BatchPtr before =
      arrow::RecordBatch::Make(typed->schema(), kept.num_rows(), kept.columns());
  PT_LET(const BatchPtr all, Together(typed->schema(), {before, typed}));
  return RowsAt(all, places);
}

Result<BatchPtr> KeptBefore(const BatchPtr& kept, const arrow::RecordBatch& rows,
                            const SeriesColumns& series) {
  const auto column = rows.GetColumnByName(series.time);
  if (series.back.all || column == nullptr || column->null_count() > 0) return kept;
  for (const std::string& name : series.by) {
    // Only values of one type are compared as the engine compares them.
    const auto given = rows.GetColumnByName(name);
    if (given == nullptr || !given->type()->Equals(kept->GetColumnByName(name)->type()))
      return kept;
  }
  PT_LET(const auto given_names, SeriesNames(rows, series));
  PT_LET(const auto given_times, SeriesTimesOf(*column));
  std::unordered_map<std::string, int64_t> first;
  for (size_t i = 0; i < given_names.size(); ++i) {
    const int64_t time = given_times->Value(int64_t(i));
    const auto at = first.try_emplace(given_names[i], time).first;
    at->second = std::min(at->second, time);
  }
  PT_LET(const auto names, SeriesNames(*kept, series));
  PT_LET(const auto times, SeriesTimesOf(*kept->GetColumnByName(series.time)));
  std::vector<int64_t> needed;
  std::unordered_map<std::string, int64_t> seen;
  // Kept rows lie by series and time: from the last one on, those before the first given one count.
  for (int64_t i = kept->num_rows(); i-- > 0;) {
    const auto at = first.find(names[size_t(i)]);
    if (at == first.end() || times->Value(i) >= at->second) continue;
    const bool near = at->second - times->Value(i) <= series.back.micros;
    if (++seen[at->first] <= series.back.rows || near) needed.push_back(i);
  }
  std::ranges::reverse(needed);
  return RowsAt(kept, needed);
}

void KeptEnds::Times::Add(int64_t time, int64_t at) {
  if (place >= 0) step = std::max(step, time - last);
  last = time;
  place = at;
}

Result<KeptEnds> KeptEnds::Make(std::shared_ptr<arrow::RecordBatch> kept, SeriesColumns series) {
  KeptEnds ends;
  PT_LET(const auto names, SeriesNames(*kept, series));
  PT_LET(const auto times, SeriesTimesOf(*kept->GetColumnByName(series.time)));
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < names.size(); ++i) order.emplace_back(times->Value(int64_t(i)), i);
  std::ranges::sort(order);
  for (const auto& [time, i] : order) ends.times_[names[i]].Add(time, int64_t(i));
  ends.kept_ = std::move(kept);
  ends.series_ = std::move(series);
  return ends;
}

Result<std::optional<HistoryGap>> KeptEnds::GapBefore(const arrow::RecordBatch& rows) const {
  const auto column = rows.GetColumnByName(series_.time);
  if (column == nullptr) return std::nullopt;  // It is refused in scoring.
  PT_LET(const auto names, SeriesNames(rows, series_));
  PT_LET(const auto times, SeriesTimesOf(*column));
  std::map<std::string, std::pair<int64_t, int64_t>> first;
  for (size_t i = 0; i < names.size(); ++i) {
    if (times->IsNull(int64_t(i))) continue;
    const std::pair own(times->Value(int64_t(i)), int64_t(i));
    const auto at = first.try_emplace(names[i], own).first;
    at->second = std::min(at->second, own);
  }
  HistoryGap gap{.of = int64_t(first.size())};
  int64_t longest = 0;
  for (const auto& [name, earliest] : first) {
    const auto at = times_.find(name);
    if (at == times_.end() || at->second.step == 0) continue;
    const int64_t passed = earliest.first - at->second.last;
    if (passed <= at->second.step) continue;
    ++gap.series;
    if (passed <= longest) continue;
    longest = passed;
    PT_LET(gap.last, TextAt(*kept_, series_.time, at->second.place));
    PT_LET(gap.first, TextAt(rows, series_.time, earliest.second));
  }
  return gap.series > 0 ? std::optional(std::move(gap)) : std::nullopt;
}

}  // namespace protium
