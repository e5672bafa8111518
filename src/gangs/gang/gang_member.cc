// SPDX-License-Identifier: Apache-2.0
#include "gang/gang_member.h"

#include <utility>

#include "base/fault.h"
#include "gang/failure.h"

namespace protium {
namespace {

constexpr int64_t kMostTextBytes = 64 << 20;
constexpr size_t kMostMemories = 16;

}  // namespace

Status AskedToStop() {
  return Fail({.exit = Exit::kStopped, .what = "the task was asked to stop"});
}

void GangMember::Begin(std::shared_ptr<Communicator> ranks) {
  std::lock_guard lock(mutex_);
  rank_ = ranks->rank();
  ranks_ = std::move(ranks);
}

Communicator* GangMember::ranks() {
  std::lock_guard lock(mutex_);
  return ranks_.get();
}

// A cut ends what the task is waiting for, since some rank will never come.
void GangMember::Heard(GangCall call) {
  const Status cause = Fail({.exit = Exit::kRemote, .what = "the gang changes", .why = call.why});
  std::shared_ptr<Communicator> ranks;
  {
    std::lock_guard lock(mutex_);
    if (call.generation <= called_) return;
    called_ = call.generation;
    if (call.cut) ranks = ranks_;
    call_ = std::move(call);
    joining_.request_stop();
    changed_.notify_all();
  }
  if (ranks) ranks->Abort(cause);
}

void GangMember::GotParts(Result<std::vector<SharedPart>> parts) {
  std::lock_guard lock(mutex_);
  parts_ = std::move(parts);
  changed_.notify_all();
}

void GangMember::Despair(const Status& why) {
  std::lock_guard lock(mutex_);
  call_ = why;
  parts_ = why;
  joining_.request_stop();
  changed_.notify_all();
}

void GangMember::Abort(const Status& cause) {
  std::shared_ptr<Communicator> ranks;
  {
    std::lock_guard lock(mutex_);
    ranks = ranks_;
  }
  if (ranks) ranks->Abort(cause);
}

Result<std::vector<SharedPart>> GangMember::Share(SharedPart own) {
  if (int64_t(own.text.size()) > kMostTextBytes || own.memories.size() > kMostMemories) {
    return Status::Invalid("a rank shares more than the gang can keep");
  }
  if (!newcomer()) PT_TRY(Give(std::move(own)));
  std::unique_lock lock(mutex_);
  // The slowest rank may keep the others waiting this long, as in a collective call.
  (void)changed_.wait_for(lock, spec_.stop, spec_.deadline, [&] { return parts_.has_value(); });
  if (parts_) return std::move(*std::exchange(parts_, std::nullopt));
  if (spec_.stop.stop_requested()) return AskedToStop();
  return Fail({.exit = Exit::kStalled, .what = "some rank has not shared its rows in time"});
}

Result<GangCall> GangMember::AwaitCall(std::stop_token& joining) {
  std::unique_lock lock(mutex_);
  // A rank with weights waits for its call even if it is asked to stop: the others cannot save a
  // checkpoint without it.
  const bool may_go = newcomer() && generation_ == 0;
  const std::stop_token stop = may_go ? spec_.stop : std::stop_token();
  const auto called = [&] { return call_.has_value(); };
  if (may_go && spec_.spare) {
    changed_.wait(lock, stop, called);
  } else {
    (void)changed_.wait_for(lock, stop, spec_.deadline + spec_.patience, called);
  }
  if (call_) {
    joining_ = std::stop_source();
    joining = joining_.get_token();
    return std::move(*std::exchange(call_, std::nullopt));
  }
  if (stop.stop_requested()) return AskedToStop();
  return Fail({.exit = Exit::kStalled, .what = "the driver called no new generation in time"});
}

void GangMember::SayFailed(const Status& failed) {
  Say({{"type", "failed"}, {"generation", generation_.load()}, {"status", StatusToJson(failed)}});
}

Result<Communicator*> GangMember::Enter(const Status& failed) {
  std::shared_ptr<Communicator> old;
  {
    std::lock_guard lock(mutex_);
    old = std::exchange(ranks_, nullptr);
  }
  // Peers that still wait in the old generation see its sockets close.
  old.reset();
  if (newcomer() && !std::exchange(announced_, true)) Say({{"type", "prepared"}});
  if (!failed.ok()) SayFailed(failed);
  while (true) {
    std::stop_token joining;
    PT_LET(GangCall call, AwaitCall(joining));
    generation_ = call.generation;
    rank_ = call.rank;
    if (call.rank < 0) return nullptr;
    auto ranks = call.join(joining);
    if (!ranks.ok()) {
      // A failure of this rank alone is its own. If it were reported as a failed call, ranks that
      // wait here for this one would look like the cause.
      if (!IsAboutPeers(ranks.status()) && !joining.stop_requested()) return ranks.status();
      // A member of the generation has died, or a newer generation takes its members away.
      SayFailed(ranks.status());
      continue;
    }
    std::lock_guard lock(mutex_);
    if (called_ > generation_ && call_ && call_->ok()) continue;
    ranks_ = std::move(*ranks);
    return ranks_.get();
  }
}

void GangMember::Settled(int64_t step) {
  Say({{"type", "entered"}, {"generation", generation_.load()}, {"step", step}});
}

}  // namespace protium
