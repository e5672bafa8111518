// SPDX-License-Identifier: Apache-2.0
// This program as a Spark worker, instead of a Python worker.
//
// The launcher (launcher/) has accepted the executor's connection, sent it the process's number and
// passed the handshake, and then become this program, with PROTIUM_SPARK_WORKER=<number of the
// connected socket>. Tasks follow each other on that socket; each consists of, from the executor,
//   header (task_init.h), rows (wire_input.h), -4
// and from the worker
//   rows (wire_output.h), times, -1, no accumulators, and -4: another may follow, or -1: none may
// or at any time -2 and a text (error_text.h).
//
// Driver and task also communicate in the folder SparkCommand::events:
//   stop                                     when this file appears, tasks end early, but normally
//   <NNN partition>-<task attempt id>.jsonl  the task's reports (spark_worker/event_tail.h)
//   where-<task attempt id>                  when it changes, the rank writes its stack to its log
#pragma once

#include <functional>

#include "gang/task.h"

namespace protium {

// Whether this process was started as a Spark worker.
bool IsSparkWorker();

// Serves tasks until the executor closes the connection, and returns the process's exit code.
// `more` returns the tasks that need LibTorch; it is called when one of them is first needed.
int SparkWorkerMain(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more);

}  // namespace protium
