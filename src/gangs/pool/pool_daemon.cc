// SPDX-License-Identifier: Apache-2.0
#include "pool/pool_daemon.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "base/fault.h"
#include "pool/arbiter.h"
#include "pool/pool_protocol.h"
#include "pool/seat_claim.h"

namespace protium {

namespace {

constexpr std::chrono::seconds kLookEvery{2};
// After a request, when the drivers have their workers: forking others would make them wait.
constexpr std::chrono::milliseconds kQuiet{20};
constexpr double kSendSeconds = 0.2;
constexpr size_t kMostDrivers = 500;
// As many may be warm as there are cores, and on a small machine as many as a small gang has.
constexpr int32_t kLeastWarm = 4;

// Of one claim.
constexpr int64_t kMostSeats = 1 << 16;
// Of a program that follows this one.
constexpr size_t kMostArguments = 64;

// How short memory is when warm workers end, and when no gang is granted: the part of it that is
// free, and the part of the time that processes wait for it (Machine::memory_stall).
struct Shortage {
  int64_t free_part = 0;
  double stall = 0;
};
constexpr Shortage kEndsWarm{10, 0.1};
constexpr Shortage kHoldsClaims{20, 0.25};

bool IsShort(const Machine& machine, const Shortage& shortage) {
  return machine.available_bytes < machine.memory_bytes / shortage.free_part ||
         machine.memory_stall >= shortage.stall;
}

constexpr char kUntilSettled[] = "programs that run have said what they hold";

const char* NameOf(ArbiterOrder::Kind kind) {
  switch (kind) {
    case ArbiterOrder::Kind::kGrant:
      return "grant";
    case ArbiterOrder::Kind::kWait:
      return "wait";
    case ArbiterOrder::Kind::kRefuse:
      return "refuse";
    case ArbiterOrder::Kind::kOffer:
      return "offer";
    case ArbiterOrder::Kind::kShrink:
      return "shrink";
    case ArbiterOrder::Kind::kPause:
      return "pause";
  }
  return "";
}

Json ClaimsToJson(const std::vector<ClaimState>& states) {
  Json claims = Json::array();
  for (const ClaimState& each : states) {
    claims.push_back(
        {{"who", each.wish.who},
         {"pid", each.wish.program},
         {"label", each.wish.label},
         {"workers", each.workers},
         {"min", each.wish.min},
         {"max", each.wish.max},
         {"cores", each.wish.per_worker.cores},
         {"bytes", each.wish.per_worker.bytes},
         {"priority", each.wish.priority},
         {"waits", each.waits},
         {"pausing", each.pausing},
         {"shrinks_to", each.asked_for},
         {"why", each.why},
         {"seconds", std::chrono::duration<double>(Clock::now() - each.since).count()}});
  }
  return claims;
}

void DropEnded(std::vector<std::pair<pid_t, UniqueFd>>& workers) {
  std::vector<int> fds;
  for (const auto& each : workers) fds.push_back(each.second.get());
  const auto ended = WaitReadable(fds, Clock::now());
  if (!ended.ok()) return;
  for (const size_t i : *ended) workers[i].first = -1;
  std::erase_if(workers, [](const auto& each) { return each.first < 0; });
}

}  // namespace

PoolMachine WhatGangsMayHave(const Machine& machine) {
  return {.cores = machine.cores, .bytes = machine.memory_bytes / 10 * 9};
}

PoolDaemon::PoolDaemon(PoolSettings settings, PoolListener listener)
    : settings_(std::move(settings)),
      quotas_(settings_.quotas),
      listener_(std::move(listener)),
      place_(PlaceOfProcess()),
      since_(std::time(nullptr)),
      machine_(ReadMachine()),
      zygotes_(settings_.log),
      audit_(settings_.audit, settings_.log),
      arbiter_(std::make_unique<Arbiter>(Shared())),
      busy_(Clock::now()) {
  if (listener_.follows) SettleUntil(Clock::now() + settings_.settle);
}

PoolDaemon::~PoolDaemon() = default;

PoolMachine PoolDaemon::Shared() const {
  PoolMachine machine = WhatGangsMayHave(machine_);
  machine.quotas = quotas_;
  return machine;
}

Status PoolDaemon::Serve(const std::stop_token& stop) {
  const UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return SystemFault("watch for the end", errno);
  const std::stop_callback on_stop(stop, [&] { (void)::eventfd_write(wake.get(), 1); });
  while (!stop.stop_requested() && !stopping_) {
    Round(wake.get());
    const auto now = Clock::now();
    if (now >= look_at_) Look(now);
    if (now >= arbiter_->due()) arbiter_->Look(now);
    SendOrders();
    ForgetGone();
    if (IsServing()) busy_ = now;
    audit_.Look(IsServing(), busy_, now);
    if (noted_ && !IsServing()) NoteServed(listener_, noted_ = false);
    if (now - busy_ >= settings_.idle) break;
  }
  // Nobody finds it any more; drivers see their connections close.
  if (successor_.program.empty() && !listener_.passed) ::unlink(settings_.socket.c_str());
  return Status::OK();
}

bool PoolDaemon::IsServing() const { return std::ranges::any_of(drivers_, &Driver::served); }

void PoolDaemon::SettleUntil(Clock::time_point until) {
  settled_ = until;
  arbiter_->Hold(kUntilSettled, Clock::now());
}

// Noted before the driver has anything.
void PoolDaemon::Serves(Driver& driver) {
  driver.served = true;
  if (std::exchange(noted_, true)) return;
  Step("note");
  NoteServed(listener_, true);
}

void PoolDaemon::Round(int wake) {
  std::vector<int> fds = {wake, listener_.socket.get()};
  std::vector<Driver*> drivers;
  for (Driver& each : drivers_) {
    fds.push_back(each.link->fd());
    drivers.push_back(&each);
  }
  const size_t zygotes = fds.size();
  std::ranges::copy(zygotes_.fds(), std::back_inserter(fds));
  const auto ready = WaitReadable(fds, std::min(look_at_, arbiter_->due()));
  if (!ready.ok()) return;
  for (const size_t i : *ready) {
    if (i >= zygotes) {
      zygotes_.Hear();
      break;
    }
    if (i == 1) Accept();
    if (i > 1 && !IsGone(*drivers[i - 2])) Hear(*drivers[i - 2]);
  }
}

bool PoolDaemon::IsGone(const Driver& driver) const {
  return std::ranges::find(gone_, &driver) != gone_.end();
}

// One that takes none is dropped, which may lead to more orders.
void PoolDaemon::SendOrders() {
  for (auto orders = arbiter_->Orders(); !orders.empty(); orders = arbiter_->Orders()) {
    for (const ArbiterOrder& order : orders) {
      const auto driver = std::ranges::find(drivers_, order.claim, &Driver::claim);
      if (driver == drivers_.end() || IsGone(*driver)) continue;
      const bool grants = order.kind == ArbiterOrder::Kind::kGrant;
      Step(NameOf(order.kind));
      const Status sent =
          driver->link->Send({{"type", "order"},
                              {"kind", NameOf(order.kind)},
                              {"workers", grants ? int64_t(order.seats.size()) : order.workers},
                              {"why", order.why}});
      if (!sent.ok()) Drop(*driver);
    }
  }
}

void PoolDaemon::ForgetGone() {
  std::erase_if(drivers_, [&](const Driver& each) { return IsGone(each); });
  gone_.clear();
}

void PoolDaemon::Accept() {
  for (;;) {
    UniqueFd socket(
        ::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    Step("accept");
    const auto pid = PeerOf(socket.get());
    if (!pid.ok() || drivers_.size() >= kMostDrivers) continue;
    AddDriver(std::move(socket), *pid);
  }
}

PoolDaemon::Driver& PoolDaemon::AddDriver(UniqueFd socket, pid_t pid) {
  Driver& driver = drivers_.emplace_back();
  driver.pid = pid;
  driver.link = std::make_unique<Link>(Channel(std::move(socket)));
  driver.link->LimitSends(kSendSeconds);
  return driver;
}

void PoolDaemon::Hear(Driver& driver) {
  auto frame = driver.link->Receive(Clock::now());
  driver.speaks = !frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled;
  if (driver.speaks) return;
  if (frame.ok() && *frame && Answer(driver, **frame).ok()) return;
  Drop(driver);
}

void PoolDaemon::Drop(Driver& driver) {
  // It has ended: so do its workers, even those that are stopped and see nothing.
  for (const auto& [pid, process] : driver.workers) {
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
  if (driver.claim != 0) arbiter_->End(driver.claim, Clock::now());
  gone_.push_back(&driver);
}

Status PoolDaemon::Answer(Driver& driver, const Frame& frame) {
  Step(frame.type);
  if (frame.type == "hello") return Greet(driver, frame.head);
  if (!driver.greeted) return Status::Invalid("no hello");
  if (frame.type == "workers") return GiveWorkers(driver, frame.head);
  if (frame.type == "status") return driver.link->Send({{"type", "status"}, {"pool", State()}});
  const std::vector<std::string> seats = {"claim", "adopt", "again", "grow", "give_back"};
  if (std::ranges::find(seats, frame.type) != seats.end()) return HearClaim(driver, frame);
  if (frame.type == "restart") return HearRestart(driver, frame.head);
  if (frame.type == "stop") {
    stopping_ = true;
    return driver.link->Send({{"type", "stopping"}, {"pid", ::getpid()}});
  }
  return driver.link->Send({{"type", "refused"}, {"why", "it knows no \"" + frame.type + "\""}});
}

// The answer comes from the program that follows.
Status PoolDaemon::HearRestart(Driver& driver, const Json& request) {
  const std::filesystem::path program = TextAt(request, "program");
  const Json words = request.value("arguments", Json::array());
  const bool texts = words.is_array() && words.size() <= kMostArguments &&
                     std::ranges::all_of(words, [](const Json& each) { return each.is_string(); });
  if (!program.is_absolute() || !texts) return Status::Invalid("no program to follow");
  successor_ = {program, {}};
  for (const Json& each : words) successor_.arguments.push_back(each.get<std::string>());
  driver.asked_to_restart = true;
  stopping_ = true;
  return Status::OK();
}

Status PoolDaemon::Greet(Driver& driver, const Json& hello) {
  driver.who = TextAt(hello, "who").substr(0, 200);
  const std::string other = DifferenceOfPlaces(place_, hello.value("place", Json::object()));
  if (!other.empty()) {
    return driver.link->Send(
        {{"type", "refused"}, {"why", "it has not this program's surroundings: " + other}});
  }
  driver.greeted = true;
  return driver.link->Send({{"type", "welcome"}, {"version", kPoolVersion}, {"pid", ::getpid()}});
}

Status PoolDaemon::GiveWorkers(Driver& driver, const Json& request) {
  const auto now = Clock::now();
  look_at_ = now + kQuiet;
  Serves(driver);
  PT_LET(const auto profile, WorkerProfile::FromJson(request.value("profile", Json::object())));
  const int64_t count = std::clamp<int64_t>(WholeAt(request, "count", 1), 1, kMostInMessage);
  DropEnded(driver.workers);
  TakenWorkers taken = zygotes_.Take(profile, int32_t(count), int32_t(driver.workers.size()), now);
  Json pids = Json::array();
  std::vector<int> fds;
  for (const WaitingWorker& each : taken.workers) {
    pids.push_back(each.pid);
    fds.insert(fds.end(), {each.channel.get(), each.process.get(), each.report.get()});
  }
  const Status sent =
      driver.link->Send({{"type", "workers"}, {"pids", pids}, {"why", taken.why}}, {}, fds);
  for (WaitingWorker& each : taken.workers) {
    driver.workers.emplace_back(each.pid, std::move(each.process));
  }
  return sent;
}

Result<Claim> PoolDaemon::ReadClaim(const Driver& driver, const Json& request) const {
  PT_LET(Claim claim, ClaimFromJson(request));
  claim.program = driver.pid;
  claim.who += fmt::format(" (pid {})", driver.pid);
  return claim;
}

// Orders that follow are sent before the answer, so that the driver reads both at once.
Status PoolDaemon::HearClaim(Driver& driver, const Frame& frame) {
  const auto now = Clock::now();
  const int64_t workers = std::clamp<int64_t>(WholeAt(frame.head, "workers"), 0, kMostSeats);
  if (frame.type == "grow" || frame.type == "give_back") {
    if (frame.type == "grow") arbiter_->Grow(driver.claim, now);
    const std::vector<PoolSeat> seats(frame.type == "grow" ? 0 : size_t(workers));
    arbiter_->GiveBack(driver.claim, seats, now);
    SendOrders();
    return IsGone(driver) ? Status::OK() : driver.link->Send({{"type", "held"}});
  }
  const bool again = frame.type == "again";
  Serves(driver);
  if (again != (driver.claim != 0)) return Status::Invalid("a connection has one claim");
  PT_LET(Claim claim, ReadClaim(driver, frame.head));
  if (!again) driver.claim = ++last_claim_;
  if (frame.type == "adopt") {
    arbiter_->Adopt(driver.claim, std::move(claim), std::vector<PoolSeat>(size_t(workers)), now);
  } else {
    arbiter_->Ask(driver.claim, std::move(claim), now);
  }
  return Status::OK();
}

void PoolDaemon::Look(Clock::time_point now) {
  look_at_ = now + kLookEvery;
  const bool settling = now < settled_;
  if (settling) look_at_ = std::min(look_at_, settled_);
  if (now - measured_ >= kLookEvery) {
    machine_ = ReadMachine();
    measured_ = now;
  }
  zygotes_.Look(std::max(machine_.cores, kLeastWarm), IsShort(machine_, kEndsWarm), now);
  arbiter_->Hold(settling                          ? kUntilSettled
                 : IsShort(machine_, kHoldsClaims) ? "memory is less short on this machine"
                                                   : "",
                 now);
}

Json PoolDaemon::State() {
  const Machine machine = ReadMachine();
  Json drivers = Json::array();
  for (Driver& each : drivers_) {
    if (!each.served) continue;
    DropEnded(each.workers);
    Json pids = Json::array();
    for (const auto& worker : each.workers) pids.push_back(worker.first);
    drivers.push_back({{"pid", each.pid}, {"who", each.who}, {"workers", pids}});
  }
  Json zygotes = Json::array();
  for (const ZygoteState& each : zygotes_.States()) {
    zygotes.push_back({{"pid", each.pid},
                       {"program", each.program},
                       {"torch", each.torch},
                       {"ready", each.ready},
                       {"warm", each.warm},
                       {"unfit", each.unfit}});
  }
  return {{"version", kPoolVersion},
          {"pid", ::getpid()},
          {"socket", settings_.socket.string()},
          {"since", since_},
          {"builds", OwnBuilds()},
          {"replaced", zygotes_.replaced()},
          {"cores", machine.cores},
          {"memory_bytes", machine.memory_bytes},
          {"available_bytes", machine.available_bytes},
          {"memory_stall", machine.memory_stall},
          {"free_cores", arbiter_->Free().cores},
          {"quotas", QuotasToJson(quotas_)},
          {"claims", ClaimsToJson(arbiter_->Claims())},
          {"drivers", drivers},
          {"zygotes", zygotes}};
}

}  // namespace protium
