// SPDX-License-Identifier: Apache-2.0
// What workers of these tests can do: learn for stages and apply them.
#include "gang/task.h"
#include "pipeline/batch_run.h"
#include "pipeline/fit_task.h"

namespace protium {

const TaskTable& TestTasks();

const TaskTable& TestTasks() {
  static const TaskTable tasks = {{"fit", FitTask}, {"stages", StagesTask}};
  return tasks;
}

}  // namespace protium
