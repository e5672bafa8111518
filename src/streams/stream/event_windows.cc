// SPDX-License-Identifier: Apache-2.0
#include "stream/event_windows.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/units.h"
#include "column/batches.h"
#include "stream/batches.h"
#include "stream/waiting_rows.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

fs::path FileOf(const fs::path& folder, int64_t number) {
  return folder / "windows" / fmt::format("{:012}.arrow", number);
}

std::string TimeText(int64_t micros) {
  const auto scalar = arrow::TimestampScalar(micros, arrow::TimeUnit::MICRO);
  return scalar.ToString();
}

}  // namespace

Result<EventWindows> EventWindows::Make(const EventWindowOptions& options, SchemaPtr events) {
  EventWindows windows;
  windows.every_ = MicrosOf(options.every).value_or(1);
  windows.length_ = MicrosOf(options.length).value_or(windows.every_);
  windows.late_ = MicrosOf(options.late).value_or(0);
  PT_LET(windows.time_, TimeColumn(*events, options.time, "stream.window.time", "stream.columns"));
  if (events->GetFieldIndex(kWindowStart) >= 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "events have a column window_start already, as the time is called when "
                         "their window began",
                 .where = "stream.window"});
  }
  PT_LET(windows.schema_,
         events->AddField(events->num_fields(),
                          arrow::field(kWindowStart, events->field(windows.time_)->type())));
  windows.events_ = std::move(events);
  PT_LET(windows.waiting_, arrow::RecordBatch::MakeEmpty(windows.events_));
  return windows;
}

int64_t EventWindows::StartOf(int64_t micros) const {
  const int64_t into = micros % every_;
  return micros - (into < 0 ? into + every_ : into);
}

Json EventWindows::facts() const {
  if (newest_ == INT64_MIN) return Json::object();
  return {{"newest_us", newest_}, {"open_from_us", open_from_}, {"waiting", waiting()}};
}

Status EventWindows::Load(const fs::path& folder, int64_t batches, const Json& facts) {
  newest_ = WholeAt(facts, "newest_us", INT64_MIN);
  open_from_ = WholeAt(facts, "open_from_us", WholeAt(facts, "closed_to_us", INT64_MIN));
  const fs::path file = FileOf(folder, batches - 1);
  PT_LET(waiting_, LoadWaiting(file, events_, WholeAt(facts, "waiting")));
  return Status::OK();
}

Result<BatchPtr> EventWindows::InWindows(const BatchPtr& events, int64_t to) const {
  const auto& times = static_cast<const arrow::TimestampArray&>(*events->column(time_));
  arrow::TimestampBuilder starts(times.type(), arrow::default_memory_pool());
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < times.length(); ++i) {
    const int64_t first = std::max(FirstStartOf(times.Value(i)), open_from_);
    const int64_t end = std::min(StartOf(times.Value(i)) + every_, to);
    for (int64_t start = first; start < end; start += every_) {
      rows.push_back(i);
      PT_TRY(starts.Append(start));
    }
  }
  PT_LET(const BatchPtr chosen, RowsAt(events, rows));
  PT_LET(auto column, starts.Finish());
  return chosen->AddColumn(chosen->num_columns(), schema_->fields().back(), std::move(column));
}

Result<EventWindows::Closed> EventWindows::Add(const arrow::RecordBatch& events) {
  Closed closed;
  const auto& times = static_cast<const arrow::TimestampArray&>(*events.column(time_));
  std::vector<int64_t> timely;
  for (int64_t i = 0; i < times.length(); ++i) {
    const bool none = times.IsNull(i);
    if (!none && StartOf(times.Value(i)) >= open_from_) {
      timely.push_back(i);
      continue;
    }
    closed.dead.push_back(
        LetterOf(events, i, i,
                 none ? "the event has no time"
                      : fmt::format("the event is late: windows up to {} are closed",
                                    TimeText(open_from_ - every_ + length_))));
  }
  for (const int64_t i : timely) newest_ = std::max(newest_, times.Value(i));
  const auto given = arrow::RecordBatch::Make(events_, events.num_rows(), events.columns());
  PT_LET(const BatchPtr fresh, RowsAt(given, timely));
  PT_LET(const BatchPtr all, Together(events_, {waiting_, fresh}));
  int64_t to = open_from_;
  if (newest_ != INT64_MIN) to = std::max(to, StartOf(newest_ - late_ - length_) + every_);
  PT_LET(closed.events, InWindows(all, to));
  open_from_ = to;
  const auto& each = static_cast<const arrow::TimestampArray&>(*all->column(time_));
  std::vector<int64_t> stay;
  for (int64_t i = 0; i < each.length(); ++i) {
    if (StartOf(each.Value(i)) >= open_from_) stay.push_back(i);
  }
  PT_LET(waiting_, RowsAt(all, stay));
  return closed;
}

Status EventWindows::Save(const fs::path& folder, int64_t number) const {
  return SaveWaiting(FileOf(folder, number), *waiting_);
}

void EventWindows::RemoveBefore(const fs::path& folder, int64_t number) {
  std::error_code error;
  fs::remove(FileOf(folder, number - 1), error);
}

}  // namespace protium
