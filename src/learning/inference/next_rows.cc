// SPDX-License-Identifier: Apache-2.0
#include "inference/next_rows.h"

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "inference/roll_forward.h"
#include "inference/time_step.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

constexpr int64_t kMostRows = 100'000'000;

// The last of the kept rows of each series, by their numbers, and the times of all of them.
struct KeptSeries {
  std::vector<int64_t> last;
  std::vector<SeriesTimes> times;
};

Status CheckNothingElseIsRead(const ModelState& state, const SeriesColumns& series) {
  std::vector<std::string> unknown;
  const SchemaPtr needed = NeededColumns(state);
  for (const auto& field : needed->fields()) {
    const std::string& name = field->name();
    if (name != series.time && std::ranges::count(series.by, name) == 0) unknown.push_back(name);
  }
  if (unknown.empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the model also reads {}, of which later rows are not known",
                                   fmt::join(unknown, ", ")),
               .fix = "give the rows to predict, with these columns: --input"});
}

// Kept rows lie by series and time.
Result<KeptSeries> SeriesIn(const arrow::RecordBatch& kept, const SeriesColumns& series,
                            const arrow::Int64Array& times) {
  PT_LET(const std::vector<std::string> names, SeriesNames(kept, series));
  KeptSeries found;
  for (size_t row = 0; row < names.size(); ++row) {
    if (row == 0 || names[row] != names[row - 1]) {
      found.times.emplace_back();
      found.last.emplace_back();
    }
    found.times.back().push_back(times.Value(int64_t(row)));
    found.last.back() = int64_t(row);
  }
  return found;
}

// Where each of the new rows takes its series from, and its time.
struct Steps {
  std::shared_ptr<arrow::Array> from;
  std::shared_ptr<arrow::Array> times;
};

Result<Steps> StepsAfter(const KeptSeries& found, const TimeStep& step, int64_t count) {
  arrow::Int64Builder from, times;
  for (size_t i = 0; i < found.last.size(); ++i) {
    int64_t time = found.times[i].back();
    for (int64_t k = 0; k < count; ++k) {
      time = step.After(time);
      PT_TRY(from.Append(found.last[i]));
      PT_TRY(times.Append(time));
    }
  }
  Steps steps;
  PT_LET(steps.from, from.Finish());
  PT_LET(steps.times, times.Finish());
  return steps;
}

// Whole numbers as a column of times of this type.
Result<std::shared_ptr<arrow::Array>> AsTimes(std::shared_ptr<arrow::Array> times,
                                              const std::shared_ptr<arrow::DataType>& type) {
  if (!arrow::is_integer(type->id())) {
    PT_LET(times, arrow::compute::Cast(*times, arrow::timestamp(arrow::TimeUnit::MICRO)));
  }
  return arrow::compute::Cast(*times, type);
}

Result<int64_t> StepsIn(const Horizon& horizon, const TimeStep& step, bool moments,
                        size_t num_series) {
  if (horizon.micros > 0 && !moments) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the horizon is a time, but the model's series are in order of numbers",
                 .fix = "a number of rows: --horizon 28"});
  }
  const int64_t count = horizon.micros > 0 ? step.StepsIn(horizon.micros) : horizon.rows;
  if (count >= 1 && count <= kMostRows / int64_t(std::max(num_series, size_t{1}))) return count;
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("a horizon of {} rows for {} series is out of range", count, num_series),
       .why = fmt::format("1 to {} rows can be made at once", kMostRows)});
}

}  // namespace

Result<BatchPtr> RowsAfter(const ModelState& state, const arrow::RecordBatch& kept,
                           const Horizon& horizon) {
  const SeriesColumns series = SeriesOf(state);
  PT_TRY(CheckNothingElseIsRead(state, series));
  const auto column = kept.GetColumnByName(series.time);
  const bool moments = !arrow::is_integer(column->type_id());
  PT_LET(const auto times, SeriesTimesOf(*column));
  PT_LET(const KeptSeries found, SeriesIn(kept, series, *times));
  PT_LET(const TimeStep step, TimeStep::Find(found.times, moments));
  PT_LET(const int64_t count, StepsIn(horizon, step, moments, found.last.size()));
  PT_LET(const Steps steps, StepsAfter(found, step, count));
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (const std::string& name : series.by) {
    PT_LET(const auto named, arrow::compute::Take(*kept.GetColumnByName(name), *steps.from));
    fields.push_back(arrow::field(name, named->type()));
    columns.push_back(named);
  }
  PT_LET(const auto at, AsTimes(steps.times, column->type()));
  fields.push_back(arrow::field(series.time, column->type()));
  columns.push_back(at);
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), at->length(),
                                  std::move(columns));
}

}  // namespace protium
