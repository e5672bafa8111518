// SPDX-License-Identifier: Apache-2.0
// Where the events of a stream come from and where scored rows go to. A batch begins as a stretch,
// which says what it reads in so few bytes that it is logged before anything is read for it;
// reading a stretch again gives the same rows, so a batch that was interrupted is made again, byte
// by byte.
#pragma once

#include <arrow/record_batch.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// When a batch is full: by rows, or so long after its first row was there.
struct BatchLimits {
  int64_t rows = 10'000;
  std::chrono::milliseconds gather{20};
  // Of the other stream, where two are joined. There either may be 0: that stream is not read.
  int64_t other_rows = 10'000;
};

// What could not become a row.
struct DeadLetter {
  std::string place;   // "monday.csv, line 7", "visits[2] at 4711".
  std::string reason;  // In the words of a fault.
  std::string bytes;   // As they came.
};

struct StreamRows {
  std::shared_ptr<arrow::RecordBatch> rows;
  std::vector<DeadLetter> dead;
  // Of a stream that joins another: that one's rows.
  std::shared_ptr<arrow::RecordBatch> other = {};
  // When the newest of them came in, in milliseconds since 1970, as the source knows it.
  std::optional<int64_t> newest_ms;
};

// The stretches that were committed: `state` stands for those before `stretches`, null for none.
struct StreamPast {
  Json state;
  std::vector<Json> stretches;
};

// What is there and not yet part of a batch that has ended.
struct StreamLag {
  int64_t waiting = 0;  // Files, or messages.
  std::string unit;     // "files", "messages".
};

// Call one at a time, on any thread.
class StreamSource {
 public:
  virtual ~StreamSource() = default;

  // The columns of its rows.
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  // Goes on behind what was committed; with an empty past it begins where the job says. Call it
  // once, first.
  virtual Status Start(const StreamPast& past) = 0;
  // Waits for something to read, at most for `patience` or until `stop` is set. Returns the next
  // stretch, behind the one it returned before; null: nothing came.
  virtual Result<Json> Next(const BatchLimits& limits, std::chrono::milliseconds patience,
                            const std::stop_token& stop) = 0;
  // Returns the rows of a stretch. Fails with Exit::kInput if what it names is gone or has changed.
  virtual Result<StreamRows> Read(const Json& stretch) = 0;
  // The stretch's batch has ended and will not be read again.
  virtual Status Done(const Json& stretch) = 0;
  // What Start() must know of all stretches that are done.
  virtual Json State() const = 0;
  virtual Result<StreamLag> Lag() = 0;
};

// One batch of a stream, ready to be written.
struct ScoredBatch {
  int64_t number = 0;  // From 0, without gaps.
  std::shared_ptr<arrow::RecordBatch> rows;
};

// Call one at a time, on any thread.
class StreamSink {
 public:
  virtual ~StreamSink() = default;

  // Refuses, before anything is read, what cannot be written there. Of two streams that write to
  // one place the later is refused, or the earlier is told so by its next Write().
  virtual Status Start(const arrow::Schema& rows) = 0;
  // The newest batch that is there whole; -1: none. A sink where writing a batch again leaves the
  // same bytes returns nullopt.
  virtual Result<std::optional<int64_t>> Newest() = 0;
  // Writes the batch whole or not at all. When it returns, the rows outlive a loss of power as far
  // as the place promises.
  virtual Status Write(const ScoredBatch& batch) = 0;
};

}  // namespace protium
