// SPDX-License-Identifier: Apache-2.0
// The driver's worker processes while they have nothing to do. Starting one takes a moment, loading
// LibTorch longer, so idle ones are kept, and may be started ahead of need.
#pragma once

#include <memory>
#include <mutex>
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
  bool torch = false;  // It runs in the library of LibTorch.
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

  // A worker's first message. One of another protocol version is a Fault of exit kEnvironment.
  static Status OnReady(const Frame& frame);

 private:
  Result<std::unique_ptr<Worker>> Start(const WorkerWish& wish = {});
  void ReadIdle();

  const WorkerSettings settings_;
  // Declared ahead of the workers, so that it goes after them: children end with their Spawner.
  Spawner spawner_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace protium
