// SPDX-License-Identifier: Apache-2.0
// The driver's worker processes while they have nothing to do.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "local/workers/protocol.h"
#include "local/workers/worker_settings.h"
#include "os/subprocess.h"

namespace protium {

// Where workers write while they have no task, in the folder of logs.
inline constexpr char kIdleLog[] = "workers.log";

// A worker process as its driver sees it. One owner.
struct Worker {
  Subprocess process;
  std::shared_ptr<Link> link;  // Only those who own the worker keep it; the process ends without.
  bool torch = false;          // Was told to load the LibTorch library, or has run a task of it.
  bool used = false;           // Has run a task.
  bool devices = false;        // Sees devices: ends with its task, since others may get them.
};

struct WorkerWish {
  std::string task;
  bool unused = false;               // For a gang: a process that ran nothing before.
  std::vector<std::string> devices;  // Addresses; some: a new process that sees just these.
  std::vector<int> leases;           // Descriptors that hold them; the process gets copies.
};

// Any thread.
class Pool {
 public:
  explicit Pool(WorkerSettings settings) : settings_(std::move(settings)) {}

  // Starts processes until `workers` unused ones are there.
  Status Expect(int32_t workers, bool torch);
  // Gives an idle process that suits, or starts one. It may not be ready yet, but takes messages.
  Result<std::unique_ptr<Worker>> Take(const WorkerWish& wish);
  // Takes back one that is alive and idle, or ends it.
  void Give(std::unique_ptr<Worker> worker);

  // Takes note of a worker's first message; refuses a worker that speaks another version.
  Status OnReady(const Frame& frame);
  // True when `task` is not among those that need no LibTorch; false while that is not known.
  bool NeedsTorch(const std::string& task);

 private:
  Result<std::unique_ptr<Worker>> Start(const WorkerWish& wish = {});
  void ReadIdle();
  int Suits(const Worker& worker, const WorkerWish& wish) const;

  const WorkerSettings settings_;
  Spawner spawner_;  // Before the workers: they end when it does.
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
  std::set<std::string, std::less<>> plain_tasks_;
};

}  // namespace protium
