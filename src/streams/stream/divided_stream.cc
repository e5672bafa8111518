// SPDX-License-Identifier: Apache-2.0
#include "stream/divided_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "stream/divided_status.h"
#include "stream/stream_ends.h"

namespace protium {

using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kBetweenRounds{100};
constexpr std::chrono::seconds kCountAgain{30};

Result<int32_t> Count(const StreamRequest& request, const std::stop_token& stop) {
  return CountPartitions(EndsContext{
      .job = request.job, .folder = request.folder, .note = request.note, .stop = stop});
}

void Add(const StreamTotals& more, StreamTotals& sum) {
  sum.batches += more.batches;
  sum.rows += more.rows;
  sum.dead += more.dead;
}

}  // namespace

struct DividedStream::Part {
  // Set before `ended` is.
  Status status;
  StreamTotals written;
  bool elsewhere = false;  // Another process was faster.
  std::atomic<bool> ended = false;
  bool leaving = false;  // Was told to end.
  std::jthread thread;   // Last: it sets the others.
};

DividedStream::DividedStream(StreamRequest request, Instances instances, int32_t partitions)
    : request_(std::move(request)),
      instances_(std::move(instances)),
      partitions_(partitions),
      counted_(SteadyClock::now()) {}

DividedStream::~DividedStream() = default;

Result<std::unique_ptr<DividedStream>> DividedStream::Open(StreamRequest request,
                                                           const std::stop_token& stop) {
  PT_LET(Instances instances, Instances::Join(request.folder / "instances"));
  PT_LET(const int32_t partitions, Count(request, stop));
  return std::unique_ptr<DividedStream>(
      new DividedStream(std::move(request), std::move(instances), partitions));
}

StreamRequest DividedStream::RequestOf(int32_t partition) const {
  StreamRequest request = request_;
  request.folder = PartitionFolder(request_.folder, partition);
  request.partition = partition;
  request.note = [this, partition](const std::string& line) {
    const std::lock_guard lock(notes_);
    request_.note(fmt::format("partition {}: {}", partition, line));
  };
  return request;
}

bool DividedStream::Elsewhere(int32_t partition) const {
  return IsStreamHeld(PartitionFolder(request_.folder, partition));
}

void DividedStream::Work(int32_t partition, Part& part) const {
  const std::stop_token stop = part.thread.get_stop_token();
  const auto run = StreamRun::Open(RequestOf(partition), stop);
  if (!run.ok()) {
    // Two processes that see a free partition both try to take it.
    part.elsewhere = Elsewhere(partition);
    part.status = part.elsewhere ? Status::OK() : run.status();
    return;
  }
  const StreamTotals before = (*run)->totals();
  part.status = (*run)->Run(stop);
  part.written = (*run)->totals() - before;
}

void DividedStream::Begin(int32_t partition) {
  auto& part = parts_[partition] = std::make_unique<Part>();
  Part* const own = part.get();
  // The thread reads its own handle only once that is there.
  const auto ready = std::make_shared<std::atomic<bool>>(false);
  own->thread = std::jthread([this, partition, own, ready] {
    ready->wait(false);
    Work(partition, *own);
    own->ended = true;
    own->ended.notify_all();
  });
  *ready = true;
  ready->notify_one();
}

Status DividedStream::Reap() {
  for (auto each = parts_.begin(); each != parts_.end();) {
    Part& part = *each->second;
    if (!part.ended) {
      ++each;
      continue;
    }
    part.thread.join();
    Add(part.written, written_);
    if (!part.status.ok()) {
      Fault fault = FaultOf(part.status);
      fault.what = fmt::format("partition {}: {}", each->first, fault.what);
      return Fail(std::move(fault));
    }
    if (request_.once && !part.leaving && !part.elsewhere) done_.insert(each->first);
    each = parts_.erase(each);
  }
  return Status::OK();
}

// Those that were taken last go first.
void DividedStream::KeepToShare() {
  place_ = instances_.Look();
  const int64_t share = PartsOf(partitions_, place_);
  int64_t held = std::ranges::count_if(parts_, [](const auto& p) { return !p.second->leaving; });
  for (auto each = parts_.rbegin(); each != parts_.rend() && held > share; ++each) {
    if (std::exchange(each->second->leaving, true)) continue;
    each->second->thread.request_stop();
    --held;
  }
  for (int32_t partition = 0; partition < partitions_ && held < share; ++partition) {
    if (parts_.contains(partition) || done_.contains(partition) || Elsewhere(partition)) continue;
    Begin(partition);
    ++held;
  }
}

bool DividedStream::AllDone() const {
  if (!parts_.empty()) return false;
  for (int32_t partition = 0; partition < partitions_; ++partition) {
    if (!done_.contains(partition) && !Elsewhere(partition)) return false;
  }
  return true;
}

void DividedStream::Recount() {
  if (SteadyClock::now() < counted_ + kCountAgain) return;
  counted_ = SteadyClock::now();
  const auto now = Count(request_, {});
  // Servers that are away are the partitions' trouble.
  if (now.ok()) partitions_ = std::max(partitions_, *now);
}

Status DividedStream::Work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    PT_TRY(Reap());
    KeepToShare();
    if (request_.once && AllDone()) return Status::OK();
    Recount();
    std::this_thread::sleep_for(kBetweenRounds);
  }
  return Status::OK();
}

Status DividedStream::Run(const std::stop_token& stop) {
  const Status worked = Work(stop);
  for (const auto& [partition, part] : parts_) part->thread.request_stop();
  for (const auto& [partition, part] : parts_) part->ended.wait(false);
  if (!worked.ok()) return worked;
  return Reap();
}

StreamTotals DividedStream::written() const { return written_; }

}  // namespace protium
