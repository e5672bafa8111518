// SPDX-License-Identifier: Apache-2.0
#include "stream/event_join.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "column/batches.h"
#include "stream/batches.h"
#include "stream/waiting_rows.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

fs::path JoinFile(const fs::path& folder, int64_t number, const char* side) {
  return folder / "join" / fmt::format("{:012}.{}.arrow", number, side);
}

// Events may have any time that can be counted: what lies beyond stays at the end.
int64_t Later(int64_t micros, int64_t by) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(micros, by, &sum)) return sum;
  return by > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace

int64_t EventJoin::Side::TimeAt(int64_t row) const {
  return static_cast<const arrow::TimestampArray&>(*waiting->column(time)).Value(row);
}

Status EventJoin::Side::Take(const arrow::RecordBatch& rows, int64_t late,
                             std::vector<DeadLetter>& dead) {
  const auto& times = static_cast<const arrow::TimestampArray&>(*rows.column(time));
  std::vector<int64_t> timely;
  for (int64_t i = 0; i < times.length(); ++i) {
    const bool none = times.IsNull(i);
    if (!none && times.Value(i) >= Later(newest, -late)) {
      newest = std::max(newest, times.Value(i));
      timely.push_back(i);
      continue;
    }
    const auto scalar = arrow::TimestampScalar(newest, arrow::TimeUnit::MICRO);
    dead.push_back(
        LetterOf(rows, i, i,
                 none ? "the event has no time"
                      : fmt::format("the event is late: the newest of its stream is of {}",
                                    scalar.ToString())));
  }
  const auto given = arrow::RecordBatch::Make(schema, rows.num_rows(), rows.columns());
  PT_LET(const BatchPtr fresh, RowsAt(given, timely));
  PT_LET(waiting, Together(schema, {waiting, fresh}));
  return Status::OK();
}

Status EventJoin::Side::Keep(const std::vector<int64_t>& rows) {
  if (int64_t(rows.size()) == waiting->num_rows()) return Status::OK();
  PT_LET(waiting, RowsAt(waiting, rows));
  return Status::OK();
}

Result<EventJoin> EventJoin::Make(const EventJoinOptions& options, SchemaPtr events,
                                  SchemaPtr other) {
  EventJoin join;
  join.before_ = MicrosOf(options.before).value_or(0);
  join.after_ = MicrosOf(options.after).value_or(0);
  join.late_ = MicrosOf(options.late).value_or(0);
  PT_LET(join.events_.time,
         TimeColumn(*events, options.time, "stream.join.time", "stream.columns"));
  PT_LET(join.other_.time,
         TimeColumn(*other, options.other_time, "stream.join.other_time", "stream.join.columns"));
  join.events_.schema = std::move(events);
  join.other_.schema = std::move(other);
  for (Side* side : {&join.events_, &join.other_}) {
    PT_LET(side->waiting, arrow::RecordBatch::MakeEmpty(side->schema));
  }
  return join;
}

Json EventJoin::facts() const {
  Json facts = {{"waiting", events_.waiting->num_rows()}, {"other", other_.waiting->num_rows()}};
  if (events_.newest != INT64_MIN) facts["newest_us"] = events_.newest;
  if (other_.newest != INT64_MIN) facts["other_newest_us"] = other_.newest;
  return facts;
}

Status EventJoin::Load(const fs::path& folder, int64_t batches, const Json& facts) {
  events_.newest = WholeAt(facts, "newest_us", INT64_MIN);
  other_.newest = WholeAt(facts, "other_newest_us", INT64_MIN);
  PT_LET(events_.waiting, LoadWaiting(JoinFile(folder, batches - 1, "events"), events_.schema,
                                      WholeAt(facts, "waiting")));
  PT_LET(other_.waiting, LoadWaiting(JoinFile(folder, batches - 1, "other"), other_.schema,
                                     WholeAt(facts, "other")));
  return Status::OK();
}

Result<EventJoin::Joined> EventJoin::Add(const arrow::RecordBatch& events,
                                         const arrow::RecordBatch& other) {
  Joined joined;
  PT_TRY(events_.Take(events, late_, joined.dead));
  PT_TRY(other_.Take(other, late_, joined.dead));
  std::vector<int64_t> go, stay, theirs;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (int64_t i = 0; i < events_.waiting->num_rows(); ++i) {
    const int64_t time = events_.TimeAt(i);
    const bool waits = other_.newest <= Later(time, after_ + late_);
    (waits ? stay : go).push_back(i);
    if (waits) continue;
    first = std::min(first, Later(time, -before_));
    last = std::max(last, Later(time, after_));
  }
  for (int64_t i = 0; i < other_.waiting->num_rows(); ++i) {
    const int64_t time = other_.TimeAt(i);
    if (first <= time && time <= last) theirs.push_back(i);
  }
  PT_LET(joined.events, RowsAt(events_.waiting, go));
  PT_LET(joined.other, RowsAt(other_.waiting, theirs));
  PT_TRY(events_.Keep(stay));
  PT_TRY(Forget());
  return joined;
}

// Of the other stream, what no event that waits or may come belongs to.
Status EventJoin::Forget() {
  int64_t earliest = Later(events_.newest, -late_);
  for (int64_t i = 0; i < events_.waiting->num_rows(); ++i) {
    earliest = std::min(earliest, events_.TimeAt(i));
  }
  std::vector<int64_t> stay;
  for (int64_t i = 0; i < other_.waiting->num_rows(); ++i) {
    if (Later(other_.TimeAt(i), before_) >= earliest) stay.push_back(i);
  }
  return other_.Keep(stay);
}

Status EventJoin::Save(const fs::path& folder, int64_t number) const {
  PT_TRY(SaveWaiting(JoinFile(folder, number, "events"), *events_.waiting));
  return SaveWaiting(JoinFile(folder, number, "other"), *other_.waiting);
}

void EventJoin::RemoveBefore(const fs::path& folder, int64_t number) {
  std::error_code error;
  for (const char* side : {"events", "other"})
    fs::remove(JoinFile(folder, number - 1, side), error);
}

}  // namespace protium
