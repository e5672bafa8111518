// SPDX-License-Identifier: Apache-2.0
#include "pool/pool_daemon.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "base/fault.h"
#include "pool/pool_protocol.h"

namespace protium {

namespace {

constexpr std::chrono::seconds kLookEvery{2};
// After a request, when the drivers have their workers: forking others would make them wait.
constexpr std::chrono::milliseconds kQuiet{20};
constexpr double kSendSeconds = 0.2;
constexpr size_t kMostDrivers = 500;

void DropEnded(std::vector<std::pair<pid_t, UniqueFd>>& workers) {
  std::vector<int> fds;
  for (const auto& each : workers) fds.push_back(each.second.get());
  const auto ended = WaitReadable(fds, Clock::now());
  if (!ended.ok()) return;
  for (const size_t i : *ended) workers[i].first = -1;
  std::erase_if(workers, [](const auto& each) { return each.first < 0; });
}

}  // namespace

PoolDaemon::PoolDaemon(PoolSettings settings, PoolListener listener)
    : settings_(std::move(settings)),
      listener_(std::move(listener)),
      place_(PlaceOfProcess()),
      since_(std::time(nullptr)),
      zygotes_(settings_.log),
      busy_(Clock::now()) {}

Status PoolDaemon::Serve(const std::stop_token& stop) {
  const UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return SystemFault("watch for the end", errno);
  const std::stop_callback on_stop(stop, [&] { (void)::eventfd_write(wake.get(), 1); });
  while (!stop.stop_requested() && !stopping_) {
    Round(wake.get());
    const auto now = Clock::now();
    if (now >= look_at_) Look(now);
    if (!drivers_.empty()) busy_ = now;
    if (now - busy_ >= settings_.idle) break;
  }
  // Nobody finds it any more; drivers see their connections close.
  ::unlink(settings_.socket.c_str());
  return Status::OK();
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
  const auto ready = WaitReadable(fds, look_at_);
  if (!ready.ok()) return;
  for (const size_t i : *ready) {
    if (i >= zygotes) {
      zygotes_.Hear();
      break;
    }
    if (i == 1) Accept();
    if (i > 1) Hear(*drivers[i - 2]);
  }
  std::erase_if(drivers_,
                [&](const Driver& each) { return std::ranges::find(gone_, &each) != gone_.end(); });
  gone_.clear();
}

void PoolDaemon::Accept() {
  for (;;) {
    UniqueFd socket(
        ::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    const auto pid = PeerOf(socket.get());
    if (!pid.ok() || drivers_.size() >= kMostDrivers) continue;
    Driver& driver = drivers_.emplace_back();
    driver.pid = *pid;
    driver.link = std::make_unique<Link>(Channel(std::move(socket)));
    driver.link->LimitSends(kSendSeconds);
  }
}

void PoolDaemon::Hear(Driver& driver) {
  auto frame = driver.link->Receive(Clock::now());
  if (!frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled) return;
  if (frame.ok() && *frame && Answer(driver, **frame).ok()) return;
  // It has ended: so do its workers, even those that are stopped and see nothing.
  for (const auto& [pid, process] : driver.workers) {
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
  gone_.push_back(&driver);
}

Status PoolDaemon::Answer(Driver& driver, const Frame& frame) {
  if (frame.type == "hello") return Greet(driver, frame.head);
  if (!driver.greeted) return Status::Invalid("no hello");
  if (frame.type == "workers") return GiveWorkers(driver, frame.head);
  if (frame.type == "status") return driver.link->Send({{"type", "status"}, {"pool", State()}});
  if (frame.type == "stop") {
    stopping_ = true;
    return driver.link->Send({{"type", "stopping"}, {"pid", ::getpid()}});
  }
  return driver.link->Send({{"type", "refused"}, {"why", "it knows no \"" + frame.type + "\""}});
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
  PT_LET(const auto profile, WorkerProfile::FromJson(request.value("profile", Json::object())));
  const int64_t count = std::clamp<int64_t>(WholeAt(request, "count", 1), 1, kMostWorkers);
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

void PoolDaemon::Look(Clock::time_point now) {
  look_at_ = now + kLookEvery;
  if (now - measured_ >= kLookEvery) {
    machine_ = ReadMachine();
    measured_ = now;
  }
  zygotes_.Look(machine_.cores, machine_.available_bytes < machine_.memory_bytes / 10, now);
}

Json PoolDaemon::State() {
  const Machine machine = ReadMachine();
  Json drivers = Json::array();
  for (Driver& each : drivers_) {
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
          {"cores", machine.cores},
          {"memory_bytes", machine.memory_bytes},
          {"available_bytes", machine.available_bytes},
          {"drivers", drivers},
          {"zygotes", zygotes}};
}

}  // namespace protium
