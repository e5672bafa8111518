// SPDX-License-Identifier: Apache-2.0
// The watching thread of a run. In each round it waits for members' channels and for their pidfds,
// reads what they said, and then asks four questions:
// 1. Is a member silent? Workers beat from a thread of their own, so a busy task still beats; one
//    that does not for gang.deadline seconds is stopped or starved.
// 2. Has the call been stopped? Then members are told, and have gang.deadline seconds to end well.
// 3. Did a member fail? A failure of its own ends the run at once. One about other ranks ends it
//    after kSettleTime, because the failure that it follows from is often seen a moment later.
// 4. Are all members done, or is the call's deadline over?
// Outcome() then chooses the one cause (gang/failure.h), and Finish() ends the workers before
// `end_` is set, so that whoever hears of the end finds no process left.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <csignal>

#include "base/fault.h"
#include "os/poll.h"
#include "protium/events.h"
#include "workers/map_run.h"

namespace protium {

namespace {

// A stop that takes no longer than this is not worth a word.
constexpr std::chrono::seconds kQuietStop{2};
// Also how long a closed channel waits for its process to end, to say how it ended.
constexpr std::chrono::seconds kSettleTime{1};

// Of one member, in one round.
constexpr int kMostFrames = 16;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

int64_t MapRun::Now() { return Clock::now().time_since_epoch().count(); }

void MapRun::Watch() {
  while (!IsOver()) Round();
  if (!failures_.empty()) HearTheRest();
  Finish();
}

// A rank tells how it failed before the others can fail because of it, but its channel may have
// been looked at too early, or hold much else before that word. So all that was said by now is read
// before the cause is chosen.
void MapRun::HearTheRest() {
  std::vector<Member*> rest;
  {
    std::lock_guard lock(mutex_);
    for (const auto& member : members_) {
      if (!member->done && member->worker) rest.push_back(member.get());
    }
  }
  const Deadline end = Clock::now() + kSettleTime;
  for (Member* const member : rest) {
    // What another one said may have sent it away, and its process with it.
    if (member->done) continue;
    pollfd channel = {.fd = member->worker->link->fd(), .events = POLLIN, .revents = 0};
    while (!member->done && Clock::now() < end && Poll({&channel, 1}, Clock::now())) {
      Drain(*member);
    }
  }
}

void MapRun::Round() {
  std::vector<Member*> watched;
  {
    std::lock_guard lock(mutex_);
    for (const auto& member : members_) {
      if (!member->done) watched.push_back(member.get());
    }
  }
  std::vector<pollfd> polls = {{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  for (const Member* member : watched) {
    polls.push_back({.fd = member->worker->link->fd(), .events = POLLIN, .revents = 0});
    polls.push_back({.fd = member->worker->process.pidfd(), .events = POLLIN, .revents = 0});
  }
  const Deadline tick = Clock::now() + spec_.beat() / 4;
  Poll(polls,
       std::min({tick, settled_, killed_, call_.deadline, bend_ ? bend_->gang.due() : kNever}));
  eventfd_t ignored = 0;
  (void)::eventfd_read(wake_.get(), &ignored);
  for (size_t i = 0; i < watched.size(); ++i) {
    Member& member = *watched[i];
    const int32_t replaced = member.replaced;
    if (polls[2 * i + 1].revents != 0) Drain(member);
    // What was seen of a process is not about the one that took its place.
    if (polls[2 * i + 2].revents != 0 && !member.done && member.replaced == replaced) Ended(member);
  }
  CheckSilence();
  CheckWaits();
  if (bend_) CheckMembership();
  CheckStop();
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void MapRun::Drain(Member& member) {
  // Not for ever: one that never pauses must not keep the others from being heard.
  for (int i = 0; i < kMostFrames && !member.done; ++i) {
    auto frame = member.worker->link->Receive(Clock::now());
    if (frame.ok() && *frame) {
      HandleFrame(member, std::move(**frame));
    } else if (!frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled) {
      return;
    } else {
      return Ended(member);
    }
  }
}

void MapRun::HandleFrame(Member& member, Frame frame) {
  member.sight.heard = Clock::now();
  if (frame.type == "beat") member.sight.OnBeat(frame.head, member.sight.heard);
  if (frame.type == "ready") {
    const Status status = Pool::OnReady(frame);
    if (!status.ok()) Fail(member.Failure(spec_, RankFailure::Kind::kAnswered, status, Now()));
  }
  if (frame.head.value("task", int64_t{-1}) != spec_.number) return;
  if (frame.type == "taken" || frame.type == "batch") member.Begun();
  if (frame.type == "taken") member.input.Taken();
  if (frame.type == "free") member.input.Free(NumberAt(frame.head, "slot").ValueOr(-1));
  if (frame.type == "done") OnDone(member, frame);
  if (frame.type == "saved") call_.Saved();
  if (frame.type == "event") {
    Json event = frame.head.value("event", Json::object());
    event["rank"] = frame.head.value("rank", member.rank);
    call_.Forward(event);
  }
  if (frame.type != "batch") return bend_ ? OnMembership(member, std::move(frame)) : void();
  std::lock_guard lock(mutex_);
  emitted_.push_back({&member, std::move(frame)});
  changed_.notify_all();
}

void MapRun::OnDone(Member& member, const Frame& frame) {
  member.done = true;
  const Status status = StatusFromJson(frame.head.value("status", Json::object()));
  if (status.ok()) return bend_ ? OnFinished(member) : void();
  const int64_t at = NumberAt(frame.head, "at").ValueOr(Now());
  RankFailure failure = member.Failure(spec_, RankFailure::Kind::kAnswered, status, at);
  // What keeps a newcomer from coming in is no failure of those who are.
  const bool outside = bend_ && !bend_->gang.HasEntered(member.rank);
  outside || IsDeath(failure) ? Lose(member, std::move(failure)) : Fail(std::move(failure));
}

// The process has ended or closed its channel. How it ended is the cause to be told, so its exit is
// waited for.
void MapRun::Ended(Member& member) {
  const auto ended = member.worker->process.Wait(Clock::now() + kSettleTime);
  if (!member.done && ended.ok() && *ended) {
    // What it said last is still in the channel, "done" perhaps; that may send it away, and its
    // channel with it.
    while (!member.done) {
      auto frame = member.worker->link->Receive(Clock::now());
      if (!frame.ok() || !*frame) break;
      HandleFrame(member, std::move(**frame));
    }
  }
  if (member.done) return;
  const std::string how = ended.ok() && *ended ? (*ended)->Describe() : "closed its channel";
  const bool killed = ended.ok() && *ended && (*ended)->signal == SIGKILL;
  Fault fault{.what = how + " in the middle of task \"" + spec_.task.task + "\""};
  if (killed) {
    fault.why =
        "someone killed it, or the system did because memory ran out: fewer workers "
        "(gang.workers) need less";
  }
  LoseOrReplace(member, member.Failure(spec_, RankFailure::Kind::kEnded,
                                       protium::Fail(std::move(fault)), Now()));
}

void MapRun::LoseOrReplace(Member& member, RankFailure failure) {
  if (Replace(member, failure)) return;
  member.done = true;
  Lose(member, std::move(failure));
}

// Ranks often tell that a peer is gone before the peer's own end is seen.
void MapRun::Fail(RankFailure failure) {
  const auto now = Clock::now();
  settled_ = std::min(settled_, IsAboutOthers(failure) ? now + kSettleTime : now);
  failures_.push_back(std::move(failure));
}

RankFailure MapRun::Silence(const Member& member) const {
  const auto since = Clock::now() - member.sight.heard;
  return member.Failure(
      spec_, RankFailure::Kind::kSilent,
      protium::Fail({.exit = Exit::kStalled,
                     .what = fmt::format("was silent for {:.1f} seconds", Seconds(since)),
                     .why = member.Hang(true)}),
      Now());
}

void MapRun::CheckSilence() {
  const auto limit = std::chrono::duration<double>(spec_.deadline);
  std::vector<Member*> silent;
  {
    std::lock_guard lock(mutex_);
    for (const auto& member : members_) {
      if (!member->done && Clock::now() - member->sight.heard >= limit)
        silent.push_back(member.get());
    }
  }
  for (Member* member : silent) {
    // The loss of one may have sent others away.
    if (member->done) continue;
    // What it said lies unread where this thread itself was kept, as by a message to another one.
    Drain(*member);
    if (member->done || Clock::now() - member->sight.heard < limit) continue;
    LoseOrReplace(*member, Silence(*member));
  }
}

// A rank in a long step, or one that writes a large checkpoint, has as long as it may keep others
// waiting.
void MapRun::CheckStop() {
  if (!call_.stop.stop_requested()) return;
  const auto now = Clock::now();
  if (killed_ == kNever) {
    killed_ = now + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(std::min(spec_.deadline, 1e6)));
    told_stopping_ = now + kQuietStop;
    std::lock_guard lock(mutex_);
    for (const auto& member : members_) member->Tell(member->Head(spec_, "stop"));
  } else if (now >= told_stopping_) {
    told_stopping_ = kNever;
    std::string running;
    {
      std::lock_guard lock(mutex_);
      running = StillRunning();
    }
    call_.Send(
        Note{fmt::format("stopping: {} may take up to {:g} s (gang.deadline) to finish; "
                         "a second Ctrl-C does not wait for that",
                         running, spec_.deadline)});
  }
}

// The members that have not ended; `mutex_` is held.
std::string MapRun::StillRunning() const {
  std::vector<int32_t> ranks;
  for (const auto& member : members_) {
    if (!member->done) ranks.push_back(member->rank);
  }
  return fmt::format("{}{} {}", gang() ? "rank" : "worker", ranks.size() == 1 ? "" : "s",
                     fmt::join(ranks, ", "));
}

bool MapRun::IsOver() {
  const auto now = Clock::now();
  std::lock_guard lock(mutex_);
  if (cancelled_ || now >= settled_ || now >= killed_ || now >= call_.deadline) return true;
  const bool feed_failed = fed_ && !fed_->ok() && !call_.stop.stop_requested();
  return feed_failed || AllDone();
}

// If all failures are about other ranks, a rank that has missed four beats is taken for their
// cause, although its own deadline has not passed yet.
void MapRun::FindSilent() {
  if (failures_.empty() || !IsAboutOthers(FindCause(failures_))) return;
  std::lock_guard lock(mutex_);
  for (const auto& member : members_) {
    if (member->done || !spec_.wait_terms().IsSilent(member->sight, Clock::now())) continue;
    failures_.push_back(Silence(*member));
  }
  FindHung();
}

AttemptResult MapRun::Outcome() {
  const bool stopped = call_.stop.stop_requested();
  if (bend_ && !stopped && !failures_.empty()) AddLost(bend_->gang.losses(), failures_);
  FindSilent();
  std::lock_guard lock(mutex_);
  if (fed_ && !fed_->ok() && !stopped && failures_.empty()) return {*fed_, false};
  if (!failures_.empty()) {
    const RankFailure& cause = FindCause(failures_);
    // Ranks that stopped because they were asked to have not failed.
    if (stopped && FaultOf(cause.status).exit == Exit::kStopped) return {cause.status, false};
    const bool kept = cause.kind == RankFailure::Kind::kSilent && !ReplacesHung();
    return {ReportFailure(failures_), RestartMayHelp(cause) && !kept};
  }
  if (AllDone()) return {};
  if (Clock::now() >= call_.deadline) {
    return {protium::Fail({.exit = Exit::kStalled,
                           .what = "task \"" + spec_.task.task + "\" did not finish in time"}),
            false};
  }
  Fault fault{.exit = Exit::kStopped, .what = "task \"" + spec_.task.task + "\" was stopped"};
  if (Clock::now() >= killed_) {
    fault.why = fmt::format("{} did not finish within {:g} s (gang.deadline) and saved nothing",
                            StillRunning(), spec_.deadline);
  }
  return {protium::Fail(std::move(fault)), false};
}

void MapRun::Finish() {
  const AttemptResult outcome = Outcome();
  std::vector<std::unique_ptr<Worker>> workers;
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    for (const auto& member : members_) {
      // A gang that bent has none of those it lost.
      if (member->worker) workers.push_back(std::move(member->worker));
    }
  }
  for (auto& worker : workers) {
    if (outcome.status.ok()) pool_.Give(std::move(worker));
  }
  for (const auto& worker : workers) {
    // All at once, so that they end side by side; the destructors below wait for each.
    if (worker) worker->process.Signal(SIGKILL);
  }
  // Killed and reaped before anyone hears how the run ended.
  workers.clear();
  std::lock_guard lock(mutex_);
  end_ = outcome;
  changed_.notify_all();
}

}  // namespace protium
