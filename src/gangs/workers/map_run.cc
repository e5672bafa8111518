// SPDX-License-Identifier: Apache-2.0
#include "workers/map_run.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/fault.h"
#include "gang/task_book.h"
#include "os/poll.h"
#include "protium/events.h"
#include "workers/workers.h"

namespace protium {
namespace {

// From one member, in one round.
constexpr int kMostFrames = 16;

}  // namespace

MapRun::MapRun(IdleWorkers& idle, RunSpec spec, const Call& call)
    : idle_(idle),
      spec_(std::move(spec)),
      call_(call),
      output_(KeepsOrder(spec_.task)),
      feeder_(
          members_, [this] { return Grow(); },
          [this](const Member& member) { output_.Sent(member); }),
      ending_(spec_, call_),
      watch_(spec_, call_),
      replacing_(spec_, call_, watch_, [this](const auto& place) { return TakeWorker(place); }) {}

Result<std::unique_ptr<MapRun>> MapRun::Start(IdleWorkers& idle, RunSpec spec, BatchStreamPtr input,
                                              const Call& call) {
  std::unique_ptr<MapRun> run(new MapRun(idle, std::move(spec), call));
  run->wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!run->wake_) return SystemFault("watch workers", errno);
  PT_TRY(run->spec_.gang() ? run->StartGang() : run->Hire({}, {}).status());
  MapRun* self = run.get();
  run->on_stop_.emplace(call.stop, [self] { self->Wake(); });
  run->watching_ = std::jthread([self] { self->WatchAll(); });
  run->feeding_ = std::jthread(
      [self](BatchStreamPtr input) {
        self->feeder_.Feed(std::move(input), self->spec_.task.rows_a_batch);
        self->Wake();
      },
      std::move(input));
  return run;
}

MapRun::~MapRun() {
  cancelled_ = true;
  feeder_.Close();
  Wake();
  if (watching_.joinable()) watching_.join();
  if (feeding_.joinable()) feeding_.join();
}

void MapRun::Wake() { (void)::eventfd_write(wake_.get(), 1); }

Status MapRun::StartGang() {
  PT_LET(const auto mesh, MakeMesh(spec_.most));
  // At once, so that they start together. Who sees devices gets a process of its own.
  if (spec_.task.gang->gpus_per_worker <= 0) {
    PT_TRY(idle_.Expect(spec_.most, RunsInLibrary(spec_.task)));
  }
  GangPlaced placed{.task = spec_.task.task,
                    .role = spec_.task.role,
                    .attempt = spec_.attempt,
                    .servers = spec_.task.gang->servers};
  for (int32_t rank = 0; rank < spec_.most; ++rank) {
    const Seat& seat = spec_.placement->seats[size_t(rank)];
    PT_LET(const Member* member, Hire({.rank = rank, .seat = rank, .at = seat}, mesh[rank]));
    RankPlaced& one = placed.ranks.emplace_back(RankPlaced{.rank = rank,
                                                           .host = seat.host,
                                                           .pid = member->worker->process.pid(),
                                                           .log = member->log.string(),
                                                           .cores = seat.cores});
    for (const Device& gpu : seat.gpus) one.gpus.push_back(gpu.address);
  }
  if (spec_.bends) {
    if (!spec_.bends->fixed_ranks) placed.bends = {spec_.bends->min, spec_.bends->max};
    membership_.emplace(RunMembership::Run{spec_, call_, members_, watch_, ending_},
                        [this](const MemberPlace& place) { return Hire(place, {}); });
  }
  call_.Send(placed);
  return Status::OK();
}

Result<std::unique_ptr<Worker>> MapRun::TakeWorker(const MemberPlace& place) {
  PT_LET(auto worker, idle_.Take(spec_.MakeWish(place)));
  // After such a task it has the library, and is best reserved for the next one.
  worker->torch = worker->torch || RunsInLibrary(spec_.task);
  return worker;
}

Result<Member*> MapRun::Hire(const MemberPlace& place, const std::vector<UniqueFd>& peers) {
  return members_.Add([&]() -> Result<std::unique_ptr<Member>> {
    PT_LET(auto worker, TakeWorker(place));
    return StartMember(spec_, place, std::move(worker), peers);
  });
}

Status MapRun::Grow() {
  const int32_t next = members_.count();
  if (spec_.gang() || next >= spec_.most) return Status::OK();
  PT_TRY(Hire({.rank = next, .seat = next}, {}).status());
  Wake();
  return Status::OK();
}

void MapRun::WatchAll() {
  while (!IsOver()) Round();
  members_.Close();
  if (!ending_.failures().empty()) HearTheRest();
  Finish();
}

bool MapRun::IsOver() {
  if (cancelled_ || Clock::now() >= ending_.due()) return true;
  const auto fed = feeder_.end();
  const bool feed_failed = fed && !fed->ok() && !call_.stop.stop_requested();
  return feed_failed || members_.CloseIfDone();
}

// A rank reports its failure before the others can fail because of it, but its channel may have
// been read too early, or may hold much else before that message. So everything sent up to now is
// read before the cause is chosen.
void MapRun::HearTheRest() {
  const Deadline end = Clock::now() + kSettleTime;
  for (Member* const member : members_.Running()) {
    // A message of another one may have dismissed it, and its process.
    if (member->done) continue;
    pollfd channel = {.fd = member->worker->link->fd(), .events = POLLIN, .revents = 0};
    while (!member->done && Clock::now() < end && Poll({&channel, 1}, Clock::now())) {
      Drain(*member);
    }
  }
}

void MapRun::Round() {
  ReadAll(members_.Running());
  CheckSilence();
  if (!call_.stop.stop_requested()) watch_.Warn(Awaited(), Clock::now());
  if (membership_) membership_->Look(Clock::now());
  CheckStop();
  feeder_.Look();
}

void MapRun::ReadAll(const std::vector<Member*>& watched) {
  std::vector<pollfd> polls = {{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  for (const Member* member : watched) {
    polls.push_back({.fd = member->worker->link->fd(), .events = POLLIN, .revents = 0});
    polls.push_back({.fd = member->worker->process.pidfd(), .events = POLLIN, .revents = 0});
  }
  const Deadline tick = Clock::now() + spec_.beat() / 4;
  Poll(polls, std::min({tick, ending_.due(), membership_ ? membership_->due() : kNever}));
  eventfd_t ignored = 0;
  (void)::eventfd_read(wake_.get(), &ignored);
  for (size_t i = 0; i < watched.size(); ++i) {
    Member& member = *watched[i];
    const Worker* const seen = member.worker.get();
    if (polls[2 * i + 1].revents != 0) Drain(member);
    // What was seen of a process does not apply to the one that replaced it.
    const bool same = !member.done && member.worker.get() == seen;
    if (polls[2 * i + 2].revents != 0 && same) Ended(member);
  }
}

void MapRun::Drain(Member& member) {
  // Bounded: a member that never pauses must not keep the others from being read.
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
  watch_.Heard(member, frame, Clock::now());
  if (frame.type == "ready") {
    const Status status = IdleWorkers::OnReady(frame);
    const auto now = Clock::now();
    if (!status.ok()) {
      ending_.Fail(member.Failure(RankFailure::Kind::kAnswered, status, now), now);
    }
  }
  if (frame.head.value("task", int64_t{-1}) != spec_.number) return;
  if (frame.type == "taken" || frame.type == "batch") member.Begun();
  if (frame.type == "taken") {
    member.input.Taken();
    output_.Took(member);
  }
  if (frame.type == "free") member.input.Free(RequireWhole(frame.head, "slot").ValueOr(-1));
  if (frame.type == "done") OnDone(member, frame);
  if (frame.type == "saved") call_.Saved();
  if (frame.type == "event") {
    Json event = frame.head.value("event", Json::object());
    event["rank"] = frame.head.value("rank", member.rank());
    call_.Forward(event);
  }
  if (frame.type == "batch") {
    output_.Put(member, std::move(frame));
  } else if (membership_) {
    membership_->Heard(member, std::move(frame));
  }
}

void MapRun::OnDone(Member& member, const Frame& frame) {
  member.done = true;
  output_.Done(member);
  const Status status = StatusFromJson(frame.head.value("status", Json::object()));
  if (status.ok()) return membership_ ? membership_->Finished(member) : void();
  const auto now = Clock::now();
  RankFailure failure = member.Failure(RankFailure::Kind::kAnswered, status, now);
  failure.at = RequireWhole(frame.head, "at").ValueOr(failure.at);
  // What keeps a newcomer from entering is no failure of those that are in.
  const bool outside = membership_ && !membership_->HasEntered(member);
  if (outside || IsDeath(failure)) return Lose(std::move(failure), member);
  ending_.Fail(membership_ ? membership_->ByRank(std::move(failure)) : std::move(failure), now);
}

// The process has ended or closed its channel. How it ended is the cause to be reported, so this
// waits for its exit.
void MapRun::Ended(Member& member) {
  const auto ended = member.worker->process.Wait(Clock::now() + kSettleTime);
  if (!member.done && ended.ok() && *ended) {
    // Its last messages are still in the channel, "done" perhaps; they may dismiss it, and its
    // channel.
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
    fault.why = std::string("someone killed it, or the system did because memory ran out: ") +
                (member.place.serves() ? "with more servers (gang.servers) each holds less"
                                       : "fewer workers (gang.workers) need less");
  }
  LoseOrReplace(member,
                member.Failure(RankFailure::Kind::kEnded, Fail(std::move(fault)), Clock::now()));
}

void MapRun::CheckSilence() {
  for (Member* member : watch_.Silent(members_.Running(), Clock::now())) {
    // The loss of one may have dismissed others.
    if (member->done) continue;
    // Its messages are unread if this thread itself was delayed, for example by a message to
    // another member.
    Drain(*member);
    const auto now = Clock::now();
    if (member->done || !watch_.IsSilent(*member, now)) continue;
    LoseOrReplace(*member, watch_.Silence(*member, now));
  }
}

void MapRun::LoseOrReplace(Member& member, RankFailure failure) {
  if (replacing_.Replace(member, failure)) return;
  member.done = true;
  Lose(std::move(failure), member);
}

void MapRun::Lose(RankFailure failure, const Member& member) {
  const bool kept = failure.kind == RankFailure::Kind::kSilent && !spec_.replaces_hung();
  if (membership_ && !kept) return membership_->Lost(std::move(failure));
  if (membership_) {
    membership_->CountLoss(failure);
  } else if (IsDeath(failure) && !failure.devices.empty()) {
    spec_.died(*member.place.at);
  }
  ending_.Fail(std::move(failure), Clock::now());
}

std::vector<Member*> MapRun::Awaited() const {
  std::vector<Member*> awaited = members_.Running();
  std::erase_if(awaited,
                [&](const Member* each) { return membership_ && !membership_->IsIn(*each); });
  return awaited;
}

void MapRun::CheckStop() {
  if (!call_.stop.stop_requested()) return;
  const auto now = Clock::now();
  if (ending_.stopping()) return ending_.PrintStopping(members_.Running(), now);
  ending_.Stop(now);
  for (const Member* each : members_.All()) each->Send(each->Head("stop"));
}

AttemptResult MapRun::Outcome() {
  if (ending_.LacksCause() && membership_ && !call_.stop.stop_requested()) {
    ending_.Add(membership_->losses());
  }
  const std::vector<Member*> running = members_.Running();
  const auto now = Clock::now();
  if (ending_.LacksCause()) ending_.Add(watch_.Suspects(running, Awaited(), now));
  return ending_.Outcome(running, feeder_.end(), now);
}

void MapRun::Finish() {
  const AttemptResult outcome = Outcome();
  feeder_.Close();
  std::vector<std::unique_ptr<Worker>> workers;
  for (Member* const each : members_.All()) {
    // An elastic gang has no workers for the members that it lost.
    if (each->worker) workers.push_back(std::move(each->worker));
  }
  for (auto& worker : workers) {
    if (outcome.status.ok()) idle_.Give(std::move(worker));
  }
  for (const auto& worker : workers) {
    // All at once, so that they end in parallel; the destructors below wait for each.
    if (worker) worker->process.Signal(SIGKILL);
  }
  // Killed and reaped before anyone learns how the run ended.
  workers.clear();
  output_.End(outcome);
}

}  // namespace protium
