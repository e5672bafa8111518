// SPDX-License-Identifier: Apache-2.0
#include "workers/map_run.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/fault.h"
#include "column/coalesce.h"
#include "gang/task_book.h"
#include "protium/events.h"

namespace protium {

Result<std::unique_ptr<MapRun>> MapRun::Start(Pool& pool, RunSpec spec, BatchStreamPtr input,
                                              const protium::Call& call) {
  std::unique_ptr<MapRun> run(new MapRun(pool, std::move(spec), call));
  run->wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!run->wake_) return SystemFault("watch workers", errno);
  {
    std::lock_guard lock(run->mutex_);
    PT_TRY(run->gang() ? run->StartGang() : run->AddMember({}, {}));
  }
  MapRun* self = run.get();
  run->on_stop_.emplace(call.stop, [self] { self->Wake(); });
  run->watching_ = std::jthread([self] { self->Watch(); });
  run->feeding_ = std::jthread([self](BatchStreamPtr input) { self->Feed(std::move(input)); },
                               std::move(input));
  return run;
}

MapRun::~MapRun() {
  {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
  Wake();
  if (watching_.joinable()) watching_.join();
  if (feeding_.joinable()) feeding_.join();
}

void MapRun::Wake() { (void)::eventfd_write(wake_.get(), 1); }

Status MapRun::StartGang() {
  PT_LET(const auto mesh, MakeMesh(spec_.most));
  for (int32_t rank = 0; rank < spec_.most; ++rank) {
    PT_TRY(AddMember({.rank = rank, .seat = rank}, mesh[rank]));
  }
  if (spec_.bends) {
    bend_.emplace(BendingSpec{.limits = *spec_.bends,
                              .members = spec_.most,
                              .deadline = spec_.deadline,
                              .replace_hung = ReplacesHung(),
                              .most = spec_.most_now,
                              .wish = spec_.wish},
                  static_cast<Crew&>(*this), call_);
    bend_->parts.resize(size_t(spec_.most));
  }
  GangPlaced placed{.task = spec_.task.task, .role = spec_.task.role, .attempt = spec_.attempt};
  for (const auto& member : members_) {
    const Seat& seat = spec_.placement->seats[size_t(member->rank)];
    RankPlaced& rank = placed.ranks.emplace_back(RankPlaced{.rank = member->rank,
                                                            .host = seat.host,
                                                            .pid = member->worker->process.pid(),
                                                            .log = member->log.string(),
                                                            .cores = seat.cores});
    for (const Device& gpu : seat.gpus) rank.gpus.push_back(gpu.address);
  }
  if (spec_.bends) placed.bends = {spec_.bends->min, spec_.bends->max};
  call_.Send(placed);
  return Status::OK();
}

MemberPlace MapRun::NextPlace() const {
  const auto next = static_cast<int32_t>(members_.size());
  return {.rank = next, .seat = next};
}

Result<std::unique_ptr<Worker>> MapRun::TakeWorker(int32_t seat) {
  PT_LET(auto worker, pool_.Take(spec_.MakeWish(seat)));
  // Once it has run such a task it has the library, and is better kept for the next one.
  worker->torch = worker->torch || RunsInLibrary(spec_.task);
  return worker;
}

Status MapRun::AddMember(const MemberPlace& place, const std::vector<UniqueFd>& peers) {
  PT_LET(auto worker, TakeWorker(place.seat));
  PT_LET(auto member, StartMember(spec_, place, std::move(worker), peers));
  members_.push_back(std::move(member));
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> MapRun::Next() {
  std::unique_lock lock(mutex_);
  // Ends at the latest when the watching thread does, whose waits have deadlines.
  changed_.wait(lock, [this] { return !emitted_.empty() || end_; });
  if (end_ && !end_->status.ok()) return end_->status;
  if (emitted_.empty()) return std::shared_ptr<arrow::RecordBatch>();
  Emitted next = std::move(emitted_.front());
  emitted_.pop_front();
  lock.unlock();
  // Before it is read: the window counts what lies in the queue, not what the caller holds.
  next.member->Tell(next.member->Head(spec_, "taken"));
  PT_LET(const int64_t slot, NumberAt(next.frame.head, "slot"));
  PT_LET(const int64_t bytes, NumberAt(next.frame.head, "bytes"));
  UniqueFd memory = next.frame.fds.empty() ? UniqueFd() : std::move(next.frame.fds[0]);
  return next.member->output->Read(slot, bytes, std::move(memory));
}

AttemptResult MapRun::end() const {
  std::lock_guard lock(mutex_);
  return end_.value_or(AttemptResult{});
}

void MapRun::Feed(BatchStreamPtr input) {
  Status status = FeedAll(*input);
  input.reset();
  std::lock_guard lock(mutex_);
  fed_ = std::move(status);
  Wake();
}

Status MapRun::FeedAll(BatchStream& input) {
  // What a batch costs on its way (a message each way, a slot) is paid per batch, so small ones are
  // joined.
  Coalescer coalescer;
  for (bool wanted = true; wanted;) {
    PT_LET(const auto batch, input.Next());
    if (batch && batch->num_rows() == 0) continue;
    PT_LET(const auto joined, batch ? coalescer.Add(batch) : coalescer.Flush());
    if (joined) {
      PT_LET(wanted, Deliver(*joined));
    }
    if (!batch) break;
  }
  std::lock_guard lock(mutex_);
  for (const auto& member : members_) {
    member->input_ended = true;
    member->Tell(member->Head(spec_, "end"));
  }
  return Status::OK();
}

Member* MapRun::WhoTakes() const {
  Member* best = nullptr;
  for (const auto& member : members_) {
    if (member->done || member->newcomer || !member->input.HasRoom()) continue;
    if (best == nullptr || member->sent < best->sent) best = member.get();
  }
  return best;
}

bool MapRun::AllDone() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const auto& each) { return each->done.load(); });
}

// False if nobody wants more.
Result<bool> MapRun::Deliver(const arrow::RecordBatch& batch) {
  Member* member = nullptr;
  {
    std::unique_lock lock(mutex_);
    const auto unfed = std::any_of(members_.begin(), members_.end(),
                                   [](const auto& each) { return each->sent == 0; });
    // A process more is worth its start only if there is a batch that no member waits for.
    const bool grow = !gang() && !unfed && static_cast<int32_t>(members_.size()) < spec_.most;
    if (grow && !over_) {
      PT_TRY(AddMember(NextPlace(), {}));
      Wake();
    }
    changed_.wait(
        lock, [&] { return cancelled_ || over_ || AllDone() || (member = WhoTakes()) != nullptr; });
    if (member == nullptr || cancelled_ || over_) return false;
    ++member->sent;
  }
  // Outside the lock: it copies the batch, and the channel may be full for a while.
  PT_TRY(member->Send(spec_, batch));
  return true;
}

}  // namespace protium
