// SPDX-License-Identifier: Apache-2.0
// Events that are joined with those of another stream: an event waits until all that may belong to
// it have come, and goes on once, together with them.
//
// 1. To an event of the time t belong those of the other stream from t - before to t + after. It
//    waits until the newest of the other stream is more than `late` behind t + after, and all that
//    waits goes on in the order in which it came.
// 2. An event of the other stream is kept as long as one may come, or waits, that it belongs to.
// 3. What is more than `late` behind the newest of its own stream, or has no time, is a dead
//    letter.
// 4. What waits depends on the events before it alone, so a batch that is made again joins the
//    same. After each batch it lies in join/NUMBER.events.arrow and join/NUMBER.other.arrow, and
//    the line that ends the batch has the newest times; the files of the batch before stay until
//    then.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "flow/flow.h"
#include "flow/options.h"

namespace protium {

// One thread.
class EventJoin {
 public:
  // Refuses (kUsage) time columns that are missing or no timestamps.
  static Result<EventJoin> Make(const EventJoinOptions& options, SchemaPtr events, SchemaPtr other);

  // Goes on behind `batches` batches that have ended, the last with `facts`.
  Status Load(const std::filesystem::path& folder, int64_t batches, const Json& facts);
  struct Joined {
    std::shared_ptr<arrow::RecordBatch> events;  // Those that go on,
    std::shared_ptr<arrow::RecordBatch> other;   // and all that belong to any of them.
    std::vector<DeadLetter> dead;
  };
  // Adds what the next batch has of both streams.
  Result<Joined> Add(const arrow::RecordBatch& events, const arrow::RecordBatch& other);
  // Writes what waits after batch `number`; facts() then belong into the line that ends it.
  Status Save(const std::filesystem::path& folder, int64_t number) const;
  Json facts() const;
  // The batch has ended: what waited before it is not needed any more.
  static void RemoveBefore(const std::filesystem::path& folder, int64_t number);

  int64_t waiting() const { return events_.waiting->num_rows(); }
  // Of the other stream, those that events may belong to that wait or come.
  int64_t kept() const { return other_.waiting->num_rows(); }
  const SchemaPtr& other_schema() const { return other_.schema; }

 private:
  // One of the two streams.
  struct Side {
    SchemaPtr schema;
    int time = 0;                // The column.
    int64_t newest = INT64_MIN;  // In microseconds.
    std::shared_ptr<arrow::RecordBatch> waiting;
    int64_t TimeAt(int64_t row) const;
    Status Take(const arrow::RecordBatch& rows, int64_t late, std::vector<DeadLetter>& dead);
    // Keeps these of the waiting rows.
    Status Keep(const std::vector<int64_t>& rows);
  };
  EventJoin() = default;
  Status Forget();

  int64_t before_ = 0, after_ = 0, late_ = 0;
  Side events_, other_;
};

}  // namespace protium
