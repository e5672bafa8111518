// SPDX-License-Identifier: Apache-2.0
#include "workers/feeder.h"

#include <algorithm>
#include <utility>

namespace protium {

void Feeder::Feed(BatchStreamPtr input, int64_t rows_a_batch) {
  const bool cut = rows_a_batch > 0;
  if (cut) input = InBatchesOf(rows_a_batch, std::move(input));
  Status status = FeedAll(*input, cut ? Coalescer(1) : Coalescer());
  input.reset();
  const std::lock_guard lock(mutex_);
  end_ = std::move(status);
}

void Feeder::Look() {
  // So that a thread that has just checked is waiting by now.
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

void Feeder::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

std::optional<Status> Feeder::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

Status Feeder::FeedAll(BatchStream& input, Coalescer coalescer) {
  for (bool wanted = true; wanted;) {
    PT_LET(const auto batch, input.Next());
    if (batch && batch->num_rows() == 0) continue;
    PT_LET(const auto joined, batch ? coalescer.Add(batch) : coalescer.Flush());
    if (joined) {
      PT_LET(wanted, Deliver(*joined));
    }
    if (!batch) break;
  }
  for (Member* const each : members_.All()) each->EndInput();
  return Status::OK();
}

bool Feeder::EachHasOne() const {
  const auto has_one = [this](const Member* each) { return sent_.contains(each); };
  return std::ranges::all_of(members_.All(), has_one);
}

Member* Feeder::Pick() const {
  const auto sent = [this](const Member* each) {
    const auto found = sent_.find(each);
    return found == sent_.end() ? 0 : found->second;
  };
  Member* best = nullptr;
  for (Member* const each : members_.Running()) {
    if (each->place.TakesNoInput() || !each->input.HasRoom()) continue;
    if (best == nullptr || sent(each) < sent(best)) best = each;
  }
  return best;
}

Result<bool> Feeder::Deliver(const arrow::RecordBatch& batch) {
  // Another process is worth its start only if there is a batch that no member waits for.
  if (EachHasOne()) PT_TRY(grow_());
  Member* member = nullptr;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return closed_ || members_.AllDone() || (member = Pick()) != nullptr; });
    if (member == nullptr || closed_) return false;
  }
  sent_[member] += 1;
  on_send_(*member);
  // Outside the lock: it copies the batch, and the channel may be full for a while.
  PT_TRY(member->SendBatch(batch));
  return true;
}

}  // namespace protium
