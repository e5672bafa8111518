// SPDX-License-Identifier: Apache-2.0
#include "local/workers/worker_membership.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "collective/self.h"
#include "collective/shared/communicator.h"

namespace protium {
namespace {

constexpr int64_t kMostTextBytes = 64 << 20;
constexpr size_t kMostMemories = 16;

}  // namespace

Result<std::unique_ptr<Communicator>> JoinRanks(int32_t rank, std::vector<UniqueFd> peers,
                                                std::chrono::milliseconds deadline) {
  if (peers.size() <= 1) return MakeSelfCommunicator();
  return MakeSharedCommunicator(rank, std::move(peers), {.deadline = deadline});
}

Status AskedToStop() {
  return Fail({.exit = Exit::kStopped, .what = "the task was asked to stop"});
}

Json WorkerMembership::Head(const char* type) const {
  return {{"type", type}, {"task", spec_.task}};
}

void WorkerMembership::Begin(std::shared_ptr<Communicator> ranks) {
  std::lock_guard lock(mutex_);
  rank_ = ranks->rank();
  ranks_ = std::move(ranks);
}

Communicator* WorkerMembership::ranks() {
  std::lock_guard lock(mutex_);
  return ranks_.get();
}

Result<WorkerMembership::Called> WorkerMembership::ReadCall(Frame frame) {
  Called call;
  PT_LET(call.generation, NumberAt(frame.head, "generation"));
  PT_LET(const int64_t rank, NumberAt(frame.head, "rank"));
  call.rank = int32_t(rank);
  call.peers = std::move(frame.fds);
  if (call.rank < 0) return call;
  if (size_t(call.rank) > call.peers.size()) {
    return Status::Invalid("a call arrived without its sockets");
  }
  call.peers.emplace(call.peers.begin() + call.rank);
  return call;
}

Result<std::vector<SharedPart>> WorkerMembership::ReadParts(Frame frame) {
  std::vector<SharedPart> parts;
  size_t text = 0, memory = 0;
  for (const Json& each : frame.head.value("parts", Json::array())) {
    PT_LET(const int64_t bytes, NumberAt(each, "bytes"));
    PT_LET(const int64_t memories, NumberAt(each, "memories"));
    const bool fits = bytes >= 0 && bytes <= int64_t(frame.raw.size() - text) && memories >= 0 &&
                      memories <= int64_t(frame.fds.size() - memory);
    if (!fits) return Status::Invalid("shared parts arrived without what they name");
    SharedPart part{.text = frame.raw.substr(text, size_t(bytes))};
    for (int64_t i = 0; i < memories; ++i) part.memories.push_back(std::move(frame.fds[memory++]));
    text += size_t(bytes);
    parts.push_back(std::move(part));
  }
  return parts;
}

// Of two calls the newer one counts, in whatever order they come. A cut ends what the task is
// waiting for: some rank will never come.
void WorkerMembership::Heard(Frame frame) {
  if (frame.type == "parts") {
    std::lock_guard lock(mutex_);
    parts_ = ReadParts(std::move(frame));
    changed_.notify_all();
    return;
  }
  const bool cut = frame.head.value("cut", false);
  const std::string why = frame.head.value("why", std::string());
  Result<Called> call = ReadCall(std::move(frame));
  const int64_t number = call.ok() ? call->generation : called_ + 1;
  std::shared_ptr<Communicator> ranks;
  {
    std::lock_guard lock(mutex_);
    if (number <= called_) return;
    called_ = number;
    call_ = std::move(call);
    if (cut) ranks = ranks_;
    changed_.notify_all();
  }
  if (ranks) ranks->Abort(Fail({.exit = Exit::kRemote, .what = "the gang changes", .why = why}));
}

void WorkerMembership::Abort(const Status& cause) {
  std::shared_ptr<Communicator> ranks;
  {
    std::lock_guard lock(mutex_);
    ranks = ranks_;
  }
  if (ranks) ranks->Abort(cause);
}

Result<std::vector<SharedPart>> WorkerMembership::Share(SharedPart own) {
  if (int64_t(own.text.size()) > kMostTextBytes || own.memories.size() > kMostMemories) {
    return Status::Invalid("a rank shares more than the gang can keep");
  }
  if (!newcomer()) {
    std::vector<int> fds;
    for (const UniqueFd& each : own.memories) fds.push_back(each.get());
    PT_TRY(spec_.link->Send(Head("share"), own.text, fds));
  }
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return parts_.has_value() || spec_.stop.stop_requested(); };
  // The slowest rank may keep the others waiting so long, as in a collective call.
  const bool came = changed_.wait_for(lock, spec_.deadline, ready);
  if (parts_) return std::move(*std::exchange(parts_, std::nullopt));
  if (came) return AskedToStop();
  return Fail({.exit = Exit::kStalled, .what = "some rank has not shared its rows in time"});
}

Result<WorkerMembership::Called> WorkerMembership::AwaitCall() {
  std::unique_lock lock(mutex_);
  // A rank with weights waits for its call also when it is asked to stop: the others cannot save a
  // checkpoint without it.
  const bool may_go = newcomer() && generation_ == 0;
  const auto ready = [&] { return call_ || (may_go && spec_.stop.stop_requested()); };
  const bool came = changed_.wait_for(lock, spec_.deadline + spec_.patience, ready);
  if (call_) return std::move(*std::exchange(call_, std::nullopt));
  if (came) return AskedToStop();
  return Fail({.exit = Exit::kStalled, .what = "the driver called no new generation in time"});
}

void WorkerMembership::Tell(const char* type, const Status& failed) {
  Json head = Head(type);
  head["generation"] = generation_.load();
  if (!failed.ok()) head["status"] = StatusToJson(failed);
  // If the driver is gone this process ends anyway.
  (void)spec_.link->Send(head);
}

Result<Communicator*> WorkerMembership::Enter(const Status& failed) {
  std::shared_ptr<Communicator> old;
  {
    std::lock_guard lock(mutex_);
    old = std::exchange(ranks_, nullptr);
  }
  // Peers that still wait in the old generation see its sockets close.
  old.reset();
  if (newcomer() && !std::exchange(announced_, true)) Tell("prepared", Status::OK());
  if (!failed.ok()) Tell("failed", failed);
  while (true) {
    PT_LET(Called call, AwaitCall());
    generation_ = call.generation;
    rank_ = call.rank;
    if (call.rank < 0) return nullptr;
    auto ranks = JoinRanks(call.rank, std::move(call.peers), spec_.deadline);
    if (!ranks.ok()) {
      // A member of it has died, or a newer generation takes its members away.
      Tell("failed", ranks.status());
      continue;
    }
    std::lock_guard lock(mutex_);
    if (called_ > generation_ && call_ && call_->ok()) continue;
    ranks_ = std::move(*ranks);
    return ranks_.get();
  }
}

void WorkerMembership::Settled(int64_t step) {
  Json head = Head("entered");
  head["generation"] = generation_.load();
  head["step"] = step;
  (void)spec_.link->Send(head);
}

}  // namespace protium
