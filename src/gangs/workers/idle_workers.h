// SPDX-License-Identifier: Apache-2.0
// The driver's idle worker processes. Starting one takes a moment, loading LibTorch longer, so idle
// ones are reused, may be started before they are needed, and come from the pool if there is one.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "os/subprocess.h"
#include "pool/pool_client.h"
#include "workers/protocol.h"
#include "workers/worker_settings.h"

namespace protium {

// The log of workers that have no task, in the folder of logs.
inline constexpr char kIdleLog[] = "workers.log";

// A worker process as its driver sees it. Has one owner; its destructor kills and reaps the
// process.
struct Worker {
  Subprocess process;
  // Held only by the worker's owners: the process ends when the channel closes.
  std::shared_ptr<Link> link;
  // Was asked to load the LibTorch library, or has run a task that needs it.
  bool torch = false;
  bool used = false;  // Has run a task.
  // Sees devices: ends with its task, since other processes may get them next.
  bool devices = false;
};

// What a task requires of its process.
struct WorkerWish {
  bool torch = false;  // It runs in the library of LibTorch.
  // A process that has run nothing before; gangs require that.
  bool unused = false;
  // Addresses; if not empty, a new process is started that sees only these.
  std::vector<std::string> devices;
  // Descriptors that hold the devices' leases; the process gets copies.
  std::vector<int> leases;
};

// Thread-safe.
class IdleWorkers {
 public:
  // Of those that have run a task at most `most_used` are kept: gangs do not use them again, so
  // that each gang would leave its workers behind.
  IdleWorkers(WorkerSettings settings, int32_t most_used);

  // Starts processes until `workers` unused ones are idle, and makes them load LibTorch if `torch`.
  // Does not wait for them.
  Status Expect(int32_t workers, bool torch);
  // Returns a suitable idle process, or a new one. It may not be ready yet, but takes messages.
  Result<std::unique_ptr<Worker>> Take(const WorkerWish& wish);
  // Takes back a worker that is alive and idle; ends it if it sees devices, or if enough wait.
  void Give(std::unique_ptr<Worker> worker);

  // Why they do not come from the pool that is there; empty: they do, there is none, or it was said
  // before.
  std::string TakeNote() { return pool_.TakeNote(); }

  // Checks a worker's first message. Another protocol version is an error (kEnvironment).
  static Status OnReady(const Frame& frame);

 private:
  // Returns up to `count` new ones of the pool.
  std::vector<std::unique_ptr<Worker>> FromPool(bool torch, int32_t count);
  Result<std::unique_ptr<Worker>> Start(const WorkerWish& wish);
  Result<std::unique_ptr<Worker>> StartProcess(const WorkerWish& wish);
  void ReadIdle();

  const WorkerSettings settings_;
  const int32_t most_used_;
  // Declared before the workers, so that it is destroyed after them: children end with their
  // Spawner.
  Spawner spawner_;
  PoolClient pool_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace protium
