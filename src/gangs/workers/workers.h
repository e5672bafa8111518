// SPDX-License-Identifier: Apache-2.0
// Worker processes of this machine: this program, started again. They run the MapTasks of local
// plans, singly or as gangs, and end with their driver.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/call.h"
#include "engine/library.h"
#include "gang/task.h"
#include "plan/node.h"
#include "workers/worker_settings.h"

namespace protium {

// Thread-safe. Streams that it returns must not outlive it.
class Workers {
 public:
  static Result<std::unique_ptr<Workers>> Make(WorkerSettings settings);
  // Ends and reaps every worker.
  virtual ~Workers() = default;

  // Starts up to `workers` processes before they are needed, with LibTorch loaded if `torch`. Does
  // not wait, and ignores errors.
  virtual void Expect(int32_t workers, bool torch) = 0;

  // Returns the table of a gang's ranks, or an error (kUsage) that names the number that can never
  // fit. Starts nothing.
  virtual Result<Json> Placement(const GangSpec& gang) = 0;
  // Returns who holds what the gang would need now; empty if it could start.
  virtual Result<std::string> WaitsFor(const GangSpec& gang) = 0;

  // Runs `task` over what `open_input` streams and returns its output. Without a gang the output
  // streams as it arrives, in the order of the input if KeepsOrder(), and `open_input` is called
  // once. A gang's output is
  // returned after an attempt has succeeded; the input is opened again for every attempt, and there
  // are up to gang.max_restarts restarts. The last attempt's error has the rank, the cause and the
  // last log lines. Waits for the gang's seats (Seats::Take).
  virtual Result<BatchStreamPtr> Map(const MapTask& task,
                                     std::function<Result<BatchStreamPtr>()> open_input,
                                     const Call& call) = 0;
};

// Whether what the task emits comes in the order of its input, as far as it emits what it makes of
// a batch before it takes the next one: without a gang, but for the states of a fit, which mean the
// same in any order.
bool KeepsOrder(const MapTask& task);

// Returns the settings for the workers of an engine at this address ("local[4]").
Result<WorkerSettings> SettingsOf(const EngineRequest& request);

// Whether this process was started as a worker, or to fork workers for the pool; Main and the
// tests' main check this first.
bool IsWorker();

// Runs a worker until its end; returns the exit code. Tasks that are not in `tasks` are looked up
// in what `more` returns (the LibTorch library), which is called at most once.
int WorkerMain(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more);

}  // namespace protium
