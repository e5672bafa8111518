// SPDX-License-Identifier: Apache-2.0
#include "workers/idle_workers.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/fault.h"
#include "pool/place.h"
#include "workers/process_state.h"

namespace protium {

namespace {

// The channel's descriptor in the worker; leases follow.
constexpr int kWorkerFd = 3;
constexpr int kDoesNotSuit = 100;

bool HasEnded(Worker& worker) {
  const auto ended = worker.process.Wait(Clock::now());
  return !ended.ok() || ended->has_value();
}

// Must be set before exec: CUDA and OpenMP read these when they are loaded. Devices are numbered by
// bus, as discovery numbers them; a device that was not leased is not visible. One thread per
// process, since ranks share the cores.
EnvironmentList EnvironmentFor(const WorkerWish& wish) {
  return {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
          {"CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(wish.devices, ","))},
          {"OMP_NUM_THREADS", "1"},
          {"MKL_NUM_THREADS", "1"},
          {"MKL_DYNAMIC", "FALSE"}};
}

// Lower is better. Loading LibTorch takes time and memory, so a process that has it and has run
// nothing is not used for a task that can do without.
int Suits(const Worker& worker, const WorkerWish& wish) {
  if (wish.unused && worker.used) return kDoesNotSuit;
  if (!wish.torch && worker.torch && !worker.used) return wish.unused ? 2 : kDoesNotSuit;
  return (wish.torch == worker.torch ? 0 : 2) + (worker.used ? 0 : 1);
}

}  // namespace

IdleWorkers::IdleWorkers(WorkerSettings settings, int32_t most_used)
    : settings_(std::move(settings)),
      most_used_(most_used),
      pool_(settings_.pool ? *settings_.pool : PoolSocket(), settings_.who) {}

std::vector<std::unique_ptr<Worker>> IdleWorkers::FromPool(bool torch, int32_t count) {
  auto pooled = pool_.Take({.program = settings_.program,
                            .environment = EnvironmentFor({}),
                            .torch = torch,
                            .log = settings_.logs.empty() ? "" : settings_.logs / kIdleLog},
                           count);
  std::vector<std::unique_ptr<Worker>> workers;
  for (PooledWorker& each : pooled) {
    auto& worker = workers.emplace_back(std::make_unique<Worker>());
    worker->process = std::move(each.process);
    worker->link = std::move(each.link);
    worker->torch = torch;
  }
  return workers;
}

Result<std::unique_ptr<Worker>> IdleWorkers::Start(const WorkerWish& wish) {
  // What decides who sees a device is set before anything is loaded.
  if (wish.devices.empty()) {
    auto pooled = FromPool(wish.torch, 1);
    if (!pooled.empty()) return std::move(pooled.front());
  }
  return StartProcess(wish);
}

Result<std::unique_ptr<Worker>> IdleWorkers::StartProcess(const WorkerWish& wish) {
  PT_LET(auto ends, Channel::Pair());
  SubprocessOptions options;
  options.program = settings_.program;
  options.env = EnvironmentFor(wish);
  options.env.emplace_back(kWorkerVariable, std::to_string(kWorkerFd));
  options.fds = {{ends.second.fd(), kWorkerFd}};
  for (const int lease : wish.leases) {
    options.fds.emplace_back(lease, kWorkerFd + static_cast<int>(options.fds.size()));
  }
  if (!settings_.logs.empty()) options.log = settings_.logs / kIdleLog;
  auto worker = std::make_unique<Worker>();
  worker->devices = !wish.devices.empty();
  PT_LET(worker->process, spawner_.Start(options));
  worker->link = std::make_shared<Link>(std::move(ends.first));
  return worker;
}

Status IdleWorkers::Expect(int32_t workers, bool torch) {
  std::lock_guard lock(mutex_);
  const auto unused =
      std::count_if(idle_.begin(), idle_.end(), [](const auto& worker) { return !worker->used; });
  auto have = unused;
  for (auto& each : FromPool(torch, int32_t(std::max<int64_t>(0, workers - unused)))) {
    idle_.push_back(std::move(each));
    ++have;
  }
  for (; have < workers; ++have) {
    PT_LET(auto worker, StartProcess({}));
    idle_.push_back(std::move(worker));
  }
  for (const auto& worker : idle_) {
    if (!torch || worker->used || worker->torch) continue;
    PT_TRY(worker->link->Send({{"type", "load"}}));
    worker->torch = true;
  }
  return Status::OK();
}

// Reads the messages of idle workers, and drops those that have ended or are stopped: their next
// user would wait for them.
void IdleWorkers::ReadIdle() {
  std::erase_if(idle_, [this](const auto& worker) {
    if (IsStopped(ReadProcessState(worker->process.pid()))) return true;
    for (;;) {
      const auto frame = worker->link->Receive(Clock::now());
      if (!frame.ok()) return FaultOf(frame.status()).exit != Exit::kStalled || HasEnded(*worker);
      if (!*frame) return true;
      // A worker of another version ends here; the next one that starts reports why.
      if ((*frame)->type == "ready" && !OnReady(**frame).ok()) return true;
    }
  });
}

Result<std::unique_ptr<Worker>> IdleWorkers::Take(const WorkerWish& wish) {
  // CUDA reads the visible devices once per process, so an idle one cannot get others.
  if (!wish.devices.empty()) return Start(wish);
  std::lock_guard lock(mutex_);
  ReadIdle();
  const auto best = std::min_element(idle_.begin(), idle_.end(), [&](const auto& a, const auto& b) {
    return Suits(*a, wish) < Suits(*b, wish);
  });
  if (best == idle_.end() || Suits(**best, wish) == kDoesNotSuit) return Start(wish);
  auto worker = std::move(*best);
  idle_.erase(best);
  return worker;
}

void IdleWorkers::Give(std::unique_ptr<Worker> worker) {
  if (worker->devices) return;
  std::lock_guard lock(mutex_);
  const auto used = std::ranges::count_if(idle_, [](const auto& each) { return each->used; });
  if (worker->used && used >= most_used_) return;
  idle_.push_back(std::move(worker));
}

Status IdleWorkers::OnReady(const Frame& frame) {
  PT_LET(const int64_t version, RequireWhole(frame.head, "version"));
  if (version != kProtocolVersion) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "a worker speaks version " + std::to_string(version) +
                         " of the protocol, its driver " + std::to_string(kProtocolVersion),
                 .why = "the program was replaced while it ran"});
  }
  return Status::OK();
}

}  // namespace protium
