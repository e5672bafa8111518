// SPDX-License-Identifier: Apache-2.0
// Windows of event time: events wait until a window of theirs is closed, and then go on together
// with the others of it.
//
// 1. Windows are [n * every, n * every + length), counted from 1970-01-01 in UTC. A window is
//    closed once the newest event is `late` or more behind its end, and stays closed. Windows that
//    are longer than `every` overlap, and each of an event's goes on with a row of its own.
// 2. An event whose windows are all closed, and one without a time, is a dead letter.
// 3. What waits depends on the events before it alone, so a batch that is made again closes the
//    same windows. After each batch it lies in windows/NUMBER.arrow, and the line that ends the
//    batch says which windows are closed; the file of the batch before stays until then.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "flow/flow.h"
#include "flow/options.h"

namespace protium {

// The column that events of windows have besides their own: when their window began.
inline constexpr const char* kWindowStart = "window_start";

// One thread.
class EventWindows {
 public:
  // Refuses (kUsage) a time column that `events` lacks or that is no timestamp, and a column of
  // theirs that is called window_start.
  static Result<EventWindows> Make(const EventWindowOptions& options, SchemaPtr events);

  // The events' columns and window_start.
  const SchemaPtr& schema() const { return schema_; }

  // Goes on behind `batches` batches that have ended, the last with `facts`.
  Status Load(const std::filesystem::path& folder, int64_t batches, const Json& facts);
  struct Closed {
    std::shared_ptr<arrow::RecordBatch> events;  // Of windows that this batch closes.
    std::vector<DeadLetter> dead;
  };
  // Adds the events of the next batch.
  Result<Closed> Add(const arrow::RecordBatch& events);
  // Writes what waits after batch `number`; facts() then belong into the line that ends it.
  Status Save(const std::filesystem::path& folder, int64_t number) const;
  Json facts() const;
  // The batch has ended: what waited before it is not needed any more.
  static void RemoveBefore(const std::filesystem::path& folder, int64_t number);

  int64_t waiting() const { return waiting_->num_rows(); }

 private:
  EventWindows() = default;
  // When the last window with this time begins, and the first one.
  int64_t StartOf(int64_t micros) const;
  int64_t FirstStartOf(int64_t micros) const { return StartOf(micros - length_) + every_; }
  // A row for each window from `open_from_` to before `to` and each event in it, by event.
  Result<std::shared_ptr<arrow::RecordBatch>> InWindows(
      const std::shared_ptr<arrow::RecordBatch>& events, int64_t to) const;

  int64_t every_ = 0;
  int64_t length_ = 0;
  int64_t late_ = 0;
  int time_ = 0;  // The column.
  SchemaPtr events_;
  SchemaPtr schema_;
  int64_t newest_ = INT64_MIN;     // The newest time so far, in microseconds.
  int64_t open_from_ = INT64_MIN;  // Windows that begin before this time are closed.
  std::shared_ptr<arrow::RecordBatch> waiting_;
};

}  // namespace protium
