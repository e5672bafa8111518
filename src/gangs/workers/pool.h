// SPDX-License-Identifier: Apache-2.0
// The driver's worker processes while they have nothing to do. Starting one takes a moment, loading
// LibTorch longer, so idle ones are kept, and may be started ahead of need.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "os/subprocess.h"
#include "workers/protocol.h"
#include "workers/worker_settings.h"

namespace protium {

// The log of workers that have no task, in the folder of logs.
inline constexpr char kIdleLog[] = "workers.log";

// A worker process as its driver sees it. One owner; when it goes, the process is killed and
// reaped.
struct Worker {
  Subprocess process;
  // Kept only by those who own the worker: the process ends when the channel closes.
  std::shared_ptr<Link> link;
  // Was told to load the LibTorch library, or has run a task that needs it.
  bool torch = false;
  bool used = false;  // Has run a task.
  // Sees devices: ends with its task, since others may be given them next.
  bool devices = false;
};

// What a task wants of its process.
struct WorkerWish {
  std::string task;
  // A process that ran nothing before; gangs get only such.
  bool unused = false;
  // Addresses; if there are any, a new process is started that sees just these.
  std::vector<std::string> devices;
  // Descriptors that hold their leases; the process gets copies.
  std::vector<int> leases;
};

// Thread-safe.
class Pool {
 public:
  explicit Pool(WorkerSettings settings) : settings_(std::move(settings)) {}

  // Starts processes until `workers` unused ones are idle, and makes them load LibTorch if `torch`.
  // Does not wait for them.
  Status Expect(int32_t workers, bool torch);
  // Returns an idle process that suits, or a new one. It may not be ready yet, but takes messages.
  Result<std::unique_ptr<Worker>> Take(const WorkerWish& wish);
  // Takes back a worker that is alive and idle; ends one with devices.
  void Give(std::unique_ptr<Worker> worker);

  // Notes the tasks of a worker's first message. A worker of another protocol version is a Fault of
  // exit kEnvironment.
  Status OnReady(const Frame& frame);
  // Whether `task` is not among those that need no LibTorch; false as long as no worker has said
  // which these are.
  bool NeedsTorch(const std::string& task);

 private:
  Result<std::unique_ptr<Worker>> Start(const WorkerWish& wish = {});
  void ReadIdle();
  // OnReady() where `mutex_` is held.
  Status TakeReady(const Frame& frame);
  int Suits(const Worker& worker, const WorkerWish& wish) const;

  const WorkerSettings settings_;
  // Declared ahead of the workers, so that it goes after them: children end with their Spawner.
  Spawner spawner_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
  // Tasks that need no LibTorch; empty until a worker is ready.
  std::set<std::string, std::less<>> plain_tasks_;
};

}  // namespace protium
