// SPDX-License-Identifier: Apache-2.0
// What a stream has begun and ended, in a file that outlives the process: log.jsonl in the stream's
// folder, one JSON object a line.
//
//   {"began": 12, "stretch": {...}, "model": "9f...", ...}  before anything is written for it
//   {"ended": 12, "rows": 480, ...}                         once its rows are in the sink
//   {"training": {...}}                                     how far the trainings are
//   {"state": {...}, "totals": {...}, "last": {...}}        stands for all lines before it
//
// 1. Batches are numbered from 0 without gaps; one begins when the one before it has ended.
// 2. A line that says "began" is on the disk before Begin() returns. One that says "ended" may be
//    lost with the power: then the sink tells whether the batch is there.
// 3. A last line without its end was being written when the process died, and counts for nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "flow/flow.h"
#include "os/fd.h"

namespace protium {

// What batch `number` is made of.
struct Intent {
  int64_t number = 0;
  Json stretch;
  std::string model;            // The SHA-256 of its model.json; empty: rows are not scored.
  Json facts = Json::object();  // Further fields of its line, for people and for `verify`.
};

// Sums over all batches that have ended.
struct StreamTotals {
  int64_t batches = 0;
  int64_t rows = 0;  // Written.
  int64_t dead = 0;  // Dead letters.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("batches", batches);
    visit("rows", rows);
    visit("dead", dead);
  }
  // What came since `before`.
  StreamTotals operator-(const StreamTotals& before) const {
    return {.batches = batches - before.batches,
            .rows = rows - before.rows,
            .dead = dead - before.dead};
  }
};

// Holds the lock of its folder: of two processes with one stream, the later is refused. One thread.
class StreamLog {
 public:
  // Opens or makes the folder's log and takes its lock. A log that is damaged elsewhere than at its
  // end is a fault (kInput) with its line.
  static Result<std::unique_ptr<StreamLog>> Open(const std::filesystem::path& folder);

  const StreamPast& past() const { return past_; }
  const StreamTotals& totals() const { return totals_; }
  // The line that ended the last batch; empty if none has.
  const Json& last() const { return last_; }
  // The batch that has begun and not ended.
  const std::optional<Intent>& open() const { return open_; }

  // The newest of these lines; null: there is none.
  const Json& training() const { return training_; }

  Status Begin(Intent intent);
  // Ends the batch that has begun.
  Status End(const StreamTotals& more, const Json& facts);

  // Says how far the trainings are. On the disk when it returns.
  Status Training(const Json& state);

  // Whether the file is worth shortening.
  bool long_enough() const;
  // Replaces what has ended by `state`, which is that of the source after the last batch. The lines
  // are kept as log.NUMBER.jsonl, where NUMBER is the first batch after them, for `verify`; the
  // oldest of these go once they have more than 64 MiB together.
  Status Shorten(const Json& state);

 private:
  explicit StreamLog(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Status Read();
  Status Take(const Json& line);
  Status Append(const Json& line);
  std::filesystem::path file() const { return folder_ / "log.jsonl"; }

  std::filesystem::path folder_;
  UniqueFd lock_;
  UniqueFd fd_;
  int64_t bytes_ = 0;        // Of whole lines.
  int64_t state_bytes_ = 0;  // Of the line that stands for those before it.
  StreamPast past_;
  StreamTotals totals_;
  Json last_ = Json::object();
  std::optional<Intent> open_;
  Json training_;
};

// Takes the lock of a stream's folder, which exists; a fault (kUsage) if it is taken.
Result<UniqueFd> LockStream(const std::filesystem::path& folder);
// Whether a process, or another thread of this one, has the log of this folder open.
bool IsStreamHeld(const std::filesystem::path& folder);

// The batches `from` up to and without `to` that have ended, from the log and the lines that were
// kept of it. Fails with Exit::kInput if the log no longer has one of them. Reads only.
Result<std::vector<Intent>> EndedBatches(const std::filesystem::path& folder, int64_t from,
                                         int64_t to);

}  // namespace protium
