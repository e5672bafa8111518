// SPDX-License-Identifier: Apache-2.0
#include "stream/part_scores.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <utility>
#include <vector>

#include "column/batches.h"
#include "os/machine.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// What a scorer makes of so many rows stays in a core's cache, and its memory is used again.
constexpr int64_t kPartRows = 16'384;

// The parts of the rows, taken one after the other by whichever thread is free.
class Parts {
 public:
  Parts(const Scorer& scorer, const arrow::RecordBatch& rows)
      : scorer_(scorer), rows_(rows), scored_(size_t((rows.num_rows() - 1) / kPartRows + 1)) {}

  size_t count() const { return scored_.size(); }

  // Until none is left, or one has failed.
  Status Work() {
    for (size_t i = next_++; i < count(); i = next_++) {
      Result<BatchPtr> scored = scorer_.Score(*rows_.Slice(int64_t(i) * kPartRows, kPartRows));
      if (!scored.ok()) next_ = count();
      PT_TRY(scored);
      scored_[i] = *std::move(scored);
    }
    return Status::OK();
  }

  // Once all threads are done.
  Result<BatchPtr> Joined() const { return Together(scorer_.output(), scored_); }

 private:
  const Scorer& scorer_;
  const arrow::RecordBatch& rows_;
  std::vector<BatchPtr> scored_;
  std::atomic<size_t> next_ = 0;
};

}  // namespace

Result<BatchPtr> ScoreInParts(const Scorer& scorer, const arrow::RecordBatch& rows) {
  if (scorer.ReadsHistory() || rows.num_rows() <= kPartRows) return scorer.Score(rows);
  Parts parts(scorer, rows);
  const size_t threads = std::min(size_t(ReadMachine().cores), parts.count());
  std::vector<std::future<Status>> others;
  for (size_t i = 1; i < threads; ++i) {
    others.push_back(std::async(std::launch::async, [&parts] { return parts.Work(); }));
  }
  Status worked = parts.Work();
  for (auto& each : others) {
    const Status other = each.get();
    if (worked.ok()) worked = other;
  }
  PT_TRY(worked);
  return parts.Joined();
}

}  // namespace protium
