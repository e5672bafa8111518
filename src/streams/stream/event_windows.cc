// SPDX-License-Identifier: Apache-2.0
#include "stream/event_windows.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/units.h"
#include "base/unknown_name.h"
#include "column/batches.h"
#include "column/cells.h"
#include "format/bring.h"
#include "format/file_writer.h"
#include "os/file.h"
#include "os/publish.h"
#include "stream/batches.h"

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
  windows.time_ = events->GetFieldIndex(options.time);
  if (windows.time_ < 0) {
    return UnknownName("column", options.time, events->field_names(), "stream.window.time");
  }
  const auto& type = *events->field(windows.time_)->type();
  if (type.id() != arrow::Type::TIMESTAMP) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("column \"{}\" has the type {}, and not timestamp",
                                     options.time, TypeText(type)),
                 .where = "stream.window.time",
                 .fix = fmt::format("stream.columns = {{ {} = \"timestamp\" }}", options.time),
                 .kept = "nothing was started"});
  }
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
  PT_LET(waiting_, arrow::RecordBatch::MakeEmpty(events_));
  const int64_t expected = WholeAt(facts, "waiting");
  if (expected == 0) return Status::OK();
  const fs::path file = FileOf(folder, batches - 1);
  const BringSpec spec{.paths = {file.string()}, .format = Format::kArrow};
  const auto rows = OpenRows(spec, [](double) { return Status::OK(); });
  std::vector<BatchPtr> parts;
  while (rows.ok()) {
    PT_LET(auto next, (*rows)->Next());
    if (next == nullptr) break;
    parts.push_back(arrow::RecordBatch::Make(events_, next->num_rows(), next->columns()));
  }
  PT_LET(waiting_, Together(events_, parts));
  if (waiting_->num_rows() == expected) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} events wait for their windows, and the file has {}",
                                   expected, waiting_->num_rows()),
               .where = file.string(),
               .why = rows.ok() ? "" : FaultOf(rows.status()).what,
               .fix = "restore the file from a copy, or begin a new stream in another folder"});
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
  if (waiting() == 0) return Status::OK();
  const fs::path file = FileOf(folder, number);
  PT_TRY(MakeFolder(file.parent_path()));
  PT_LET(const auto writer, FileWriter::Make(Format::kArrow, file.string(), events_));
  PT_TRY(writer->Write(*waiting_));
  PT_TRY(writer->Commit());
  return SyncFolder(file.parent_path());
}

void EventWindows::RemoveBefore(const fs::path& folder, int64_t number) {
  std::error_code error;
  fs::remove(FileOf(folder, number - 1), error);
}

}  // namespace protium
