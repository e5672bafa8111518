// SPDX-License-Identifier: Apache-2.0
#include "pool/zygotes.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/fault.h"
#include "os/launch.h"
#include "pool/pool_protocol.h"
#include "pool/zygote.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int kZygoteFd = 3;
// How long zygotes stay that nobody asks for.
constexpr std::chrono::minutes kZygoteIdle{10};
// Forking takes a millisecond or two; drivers wait 200.
constexpr std::chrono::milliseconds kForkTime{100};
constexpr std::chrono::seconds kCheckFilesEvery{1};
constexpr char kArrowAllocator[] = "JE_ARROW_MALLOC_CONF";

}  // namespace

Result<std::unique_ptr<Zygotes::Zygote>> Zygotes::Start(const WorkerProfile& profile) const {
  PT_LET(auto ends, Channel::Pair());
  SubprocessOptions options{.program = profile.program, .env = profile.environment};
  options.env.emplace_back(kZygoteVariable,
                           std::to_string(kZygoteFd) + (profile.torch ? ",torch" : ""));
  // Arrow's allocator starts a thread as soon as it is loaded, which no fork would have.
  options.env.emplace_back(kArrowAllocator, "background_thread:false");
  // What a program may need to start at all.
  for (const char* name : {"PATH", "HOME", "TMPDIR"}) {
    if (const char* const value = std::getenv(name)) options.env.emplace_back(name, value);
  }
  options.fds = {{ends.second.fd(), kZygoteFd}};
  options.log = log_;
  options.folder = "/";
  options.session = true;
  options.inherits = false;
  options.outlives = true;
  PT_LET(const auto launch, Launch::Make(options));
  const pid_t pid = launch->Start();
  if (pid < 0) return SystemFault("start a process", errno);
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (launch->error() != 0) return SystemFault("run " + profile.program.string(), launch->error());
  return Make(profile, pid, std::move(process), std::move(ends.first));
}

std::unique_ptr<Zygotes::Zygote> Zygotes::Make(const WorkerProfile& profile, pid_t pid,
                                               UniqueFd process, Channel channel) {
  auto zygote = std::make_unique<Zygote>();
  zygote->pid = pid;
  zygote->process = std::move(process);
  zygote->profile = profile;
  zygote->key = profile.Key();
  zygote->link = std::make_unique<Link>(std::move(channel));
  zygote->link->LimitSends(std::chrono::duration<double>(kForkTime).count());
  return zygote;
}

Zygotes::Zygote* Zygotes::Find(const std::string& key) {
  const auto found = std::ranges::find(zygotes_, key, [](const auto& each) { return each->key; });
  return found == zygotes_.end() ? nullptr : found->get();
}

// What a driver loads anew after a library was replaced must not differ from what it gets here.
bool Zygotes::IsStale(Zygote& zygote, Clock::time_point now) {
  // One that could not even load stays, so that it is not tried again for every worker.
  if (zygote.failed) return zygote.ready;
  if (now - zygote.checked < kCheckFilesEvery) return false;
  zygote.checked = now;
  const auto other = std::ranges::find_if(
      zygote.files, [](const auto& each) { return FileIdentity(each.first) != each.second; });
  if (other == zygote.files.end()) return false;
  replaced_ = other->first;
  return true;
}

TakenWorkers Zygotes::Take(const WorkerProfile& profile, int32_t count, int32_t had,
                           Clock::time_point now) {
  TakenWorkers taken;
  if (FileIdentity(profile.program) != profile.file) {
    taken.why = profile.program.string() + " was replaced while it runs";
    return taken;
  }
  const std::string key = profile.Key();
  Zygote* zygote = Find(key);
  if (zygote != nullptr && IsStale(*zygote, now)) {
    End(zygote);
    zygote = nullptr;
  }
  if (zygote == nullptr) {
    auto started = Start(profile);
    if (!started.ok()) {
      taken.why = FaultOf(started.status()).what;
      return taken;
    }
    zygote = zygotes_.emplace_back(std::move(*started)).get();
  }
  zygote->used = now;
  zygote->demand.Add(had + count, now);
  taken.why = zygote->unfit;
  if (!zygote->Forks()) return taken;
  const int32_t lacks = count - int32_t(zygote->warm.size());
  if (lacks > 0) Fork(*zygote, lacks);
  while (!zygote->warm.empty() && int32_t(taken.workers.size()) < count) {
    taken.workers.push_back(std::move(zygote->warm.front()));
    zygote->warm.pop_front();
  }
  return taken;
}

// Waits for the zygote, which has nothing else to do; on a busy machine they may come later.
void Zygotes::Fork(Zygote& zygote, int32_t count) {
  const Deadline deadline = Clock::now() + kForkTime;
  count = std::min(count, kMostInMessage);
  const Status sent = zygote.link->Send({{"type", "fork"}, {"count", count}});
  zygote.failed = !sent.ok();
  if (!sent.ok()) return;
  zygote.awaited += count;
  auto frame = zygote.link->Receive(deadline);
  if (!frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled) return;
  zygote.failed = !frame.ok() || !*frame || !Store(zygote, **frame);
}

bool Zygotes::Store(Zygote& zygote, Frame& frame) {
  const Json pids = frame.head.value("pids", Json::array());
  if (frame.type != "workers" || frame.fds.size() != pids.size() * size_t(kWorkerFds)) return false;
  // Some may be missing: then there was no memory for them.
  zygote.awaited = 0;
  for (size_t i = 0; i < pids.size(); ++i) {
    if (!pids[i].is_number_integer()) return false;
    UniqueFd* const fds = &frame.fds[i * kWorkerFds];
    zygote.warm.push_back(
        {pids[i].get<pid_t>(), std::move(fds[0]), std::move(fds[1]), std::move(fds[2])});
  }
  return true;
}

void Zygotes::Look(int32_t most, bool short_of_memory, Clock::time_point now) {
  Reap();
  std::vector<const Zygote*> over;
  for (const auto& each : zygotes_) {
    each->demand.Look(now);
    const bool broken = each->failed && each->ready;
    // Nobody gets a worker of one that is stale, so none waits for nothing.
    if (broken || now - each->used >= kZygoteIdle || IsStale(*each, now))
      over.push_back(each.get());
  }
  for (const Zygote* each : over) End(each);
  std::vector<const WorkerDemand*> demands;
  for (const auto& each : zygotes_) demands.push_back(&each->demand);
  const auto targets = WarmTargets(demands, short_of_memory ? 0 : most);
  for (size_t i = 0; i < zygotes_.size(); ++i) {
    Zygote& zygote = *zygotes_[i];
    while (int32_t(zygote.warm.size()) > targets[i]) zygote.warm.pop_back();
    const int32_t lacks = targets[i] - int32_t(zygote.warm.size()) - zygote.awaited;
    if (zygote.Forks() && lacks > 0) Fork(zygote, lacks);
  }
}

void Zygotes::Learn(Zygote& zygote, const Frame& frame) {
  const Status error = StatusFromJson(frame.head.value("error", Json::object()));
  zygote.ready = true;
  if (!error.ok()) zygote.unfit = FaultOf(error).what;
  const Json builds = frame.head.value("builds", Json::object());
  std::map<std::string, std::string> own;
  for (const auto& [name, build] : builds.items()) own[name] = TextAt(builds, name);
  const std::string other = DifferenceOfBuilds(zygote.profile.builds, own);
  if (!other.empty()) zygote.unfit = other + " was replaced while the program runs";
  const Json files = frame.head.value("files", Json::object());
  for (const auto& [path, file] : files.items()) {
    zygote.files.emplace_back(path, TextAt(files, path));
    if (path == replaced_) replaced_.clear();
  }
}

void Zygotes::Hear() {
  for (const auto& each : zygotes_) {
    auto frame = each->link->Receive(Clock::now());
    if (!frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled) continue;
    const bool here = frame.ok() && *frame;
    if (here && (*frame)->type == "ready") {
      Learn(*each, **frame);
      continue;
    }
    if (here && Store(*each, **frame)) continue;
    each->failed = true;
    if (!each->ready) each->unfit = "the program ended before it was ready to fork workers";
  }
}

std::vector<int> Zygotes::fds() const {
  std::vector<int> fds;
  for (const auto& each : zygotes_) fds.push_back(each->failed ? -1 : each->link->fd());
  return fds;
}

std::vector<ZygoteState> Zygotes::States() const {
  std::vector<ZygoteState> states;
  for (const auto& each : zygotes_) {
    states.push_back({each->pid, each->profile.program.string(), each->profile.torch, each->ready,
                      int32_t(each->warm.size()), each->unfit});
  }
  return states;
}

// It ends when its link has closed and its last worker has ended.
void Zygotes::End(const Zygote* zygote) {
  const auto found =
      std::ranges::find(zygotes_, zygote, [](const auto& each) { return each.get(); });
  ending_.push_back(std::move((*found)->process));
  zygotes_.erase(found);
}

void Zygotes::Reap() {
  std::erase_if(ending_, [](const UniqueFd& process) {
    siginfo_t info{};
    return ::waitid(P_PIDFD, id_t(process.get()), &info, WEXITED | WNOHANG) != 0 ||
           info.si_pid != 0;
  });
}

}  // namespace protium
