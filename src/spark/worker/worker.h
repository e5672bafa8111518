// SPDX-License-Identifier: Apache-2.0
// This program as a worker of Spark: what Spark takes for a Python worker.
//
// The launcher (launcher/) has accepted the executor's connection, said the process's number and
// proven itself, and then become this program, with PROTIUM_SPARK_WORKER=<number of the connected
// socket>. Tasks follow each other on it; each is, from the executor,
//   header (task_init.h), rows (wire_input.h), -4
// and from the worker
//   rows (wire_output.h), times, -1, no accumulators, and -4: another may follow, or -1: none may
// or at any time -2 and a text (error_text.h).
//
// The driver and a task have two more ways to hear of each other, in the folder that
// SparkCommand::events names:
//   stop                                    when this file appears, tasks end early in good order
//   <NNN partition>-<task attempt id>.jsonl  what the task reports; ranks of a gang also tell
//     {"event": "rank_start", "rank", "world", "host", "pid", "devices", "attempt", "log"} and
//     {"event": "rank_end", "rank", "status", "at", "read"}, with {} for a good end and, where
//     the task saw the end of its input, the RowSums of what it read
#pragma once

#include <functional>

#include "gang/task.h"

namespace protium {

// Is this process to be a worker of Spark?
bool IsSparkWorker();

// Serves tasks until the executor closes the connection, and gives the exit code. `more` is called
// for the tasks that need LibTorch, when one of them is first needed.
int SparkWorkerMain(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more);

}  // namespace protium
