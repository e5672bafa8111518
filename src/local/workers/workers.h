// SPDX-License-Identifier: Apache-2.0
// Worker processes of this machine: this program, started again. They run the MapTasks of local
// plans, singly or as gangs, and end with their driver.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/call.h"
#include "engine/engine.h"
#include "gang/task.h"
#include "local/workers/worker_settings.h"
#include "plan/node.h"

namespace protium {

class Workers {
 public:
  static Result<std::unique_ptr<Workers>> Make(WorkerSettings settings);
  virtual ~Workers() = default;  // Ends and reaps every worker.

  // Starts up to `workers` processes ahead of need, with the LibTorch library loaded when `torch`.
  virtual void Expect(int32_t workers, bool torch) = 0;

  // The table of ranks of a gang, or a fault that says which number can never fit. Starts nothing.
  virtual Result<Json> Placement(const GangSpec& gang) = 0;
  // Who holds what the gang would need at this moment; empty when it could start.
  virtual Result<std::string> WaitsFor(const GangSpec& gang) = 0;

  // Runs `task` over what `open_input` streams (opened anew for every attempt of a gang) and gives
  // its output, a stream that must not outlive the workers. That of a gang appears only when the
  // attempt succeeded. Failed gangs are restarted up to gang.max_restarts times; then the fault
  // names rank, cause and last log lines.
  virtual Result<BatchStreamPtr> Map(const MapTask& task,
                                     std::function<Result<BatchStreamPtr>()> open_input,
                                     const Call& call) = 0;
};

// True when this process was started as a worker; Main and the tests' main ask first.
bool IsWorker();

// A worker's whole life; gives the exit code. A task that is not in `tasks` is looked for in what
// `more` gives (the LibTorch library), called at most once.
int WorkerMain(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more);

}  // namespace protium
