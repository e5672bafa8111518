// SPDX-License-Identifier: Apache-2.0
#include "workers/run_output.h"

#include <utility>

namespace protium {

void RunOutput::Put(Member& member, Frame frame) {
  const std::lock_guard lock(mutex_);
  emitted_.push_back({&member, std::move(frame)});
  changed_.notify_all();
}

void RunOutput::End(AttemptResult end) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  changed_.notify_all();
}

Result<std::shared_ptr<arrow::RecordBatch>> RunOutput::Next() {
  std::unique_lock lock(mutex_);
  // Ends at the latest when the watching thread does, whose waits have deadlines.
  changed_.wait(lock, [this] { return !emitted_.empty() || end_; });
  if (end_ && !end_->status.ok()) return end_->status;
  if (emitted_.empty()) return std::shared_ptr<arrow::RecordBatch>();
  Emitted next = std::move(emitted_.front());
  emitted_.pop_front();
  lock.unlock();
  // Before it is read: the window counts the batches here, not those that the caller holds.
  next.member->Send(next.member->Head("taken"));
  PT_LET(const int64_t slot, RequireWhole(next.frame.head, "slot"));
  PT_LET(const int64_t bytes, RequireWhole(next.frame.head, "bytes"));
  UniqueFd memory = next.frame.fds.empty() ? UniqueFd() : std::move(next.frame.fds[0]);
  return next.member->output->Read(slot, bytes, std::move(memory));
}

AttemptResult RunOutput::end() const {
  const std::lock_guard lock(mutex_);
  return end_.value_or(AttemptResult{});
}

}  // namespace protium
