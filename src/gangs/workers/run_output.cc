// SPDX-License-Identifier: Apache-2.0
#include "workers/run_output.h"

#include <utility>

namespace protium {

void RunOutput::Complete(std::optional<int64_t> number) {
  if (number) complete_.insert(*number);
}

void RunOutput::Advance() {
  while (!emitted_.contains(turn_) && complete_.erase(turn_) > 0) ++turn_;
  changed_.notify_all();
}

void RunOutput::Sent(const Member& member) {
  if (!in_order_) return;
  const std::lock_guard lock(mutex_);
  Turns& turns = turns_[&member];
  turns.sent.push_back(numbers_++);
  if (!turns.done) return;
  // It was done before it could learn of this batch.
  Complete(turns.sent.back());
  Advance();
}

void RunOutput::Took(const Member& member) {
  if (!in_order_) return;
  const std::lock_guard lock(mutex_);
  Turns& turns = turns_[&member];
  if (turns.sent.empty()) return;
  Complete(turns.now);
  turns.now = turns.sent.front();
  turns.sent.pop_front();
  Advance();
}

void RunOutput::Put(Member& member, Frame frame) {
  const std::lock_guard lock(mutex_);
  const int64_t number = in_order_ ? turns_[&member].now.value_or(turn_) : turn_;
  emitted_[number].push_back({&member, std::move(frame)});
  changed_.notify_all();
}

void RunOutput::Done(const Member& member) {
  if (!in_order_) return;
  const std::lock_guard lock(mutex_);
  Turns& turns = turns_[&member];
  turns.done = true;
  Complete(turns.now);
  for (const int64_t number : turns.sent) Complete(number);
  Advance();
}

void RunOutput::End(AttemptResult end) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  changed_.notify_all();
}

Result<std::shared_ptr<arrow::RecordBatch>> RunOutput::Next() {
  std::unique_lock lock(mutex_);
  // Ends at the latest when the watching thread does, whose waits have deadlines.
  changed_.wait(lock, [this] { return HasNext() || end_; });
  if (end_ && !end_->status.ok()) return end_->status;
  if (emitted_.empty()) return std::shared_ptr<arrow::RecordBatch>();
  const auto first = emitted_.begin();
  Emitted next = std::move(first->second.front());
  first->second.pop_front();
  if (first->second.empty()) emitted_.erase(first);
  Advance();
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
