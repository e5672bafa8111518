// SPDX-License-Identifier: Apache-2.0
// Main(): a process is a worker or a command. This is decided first, because a launcher starts this
// same program with an environment and no arguments that a command line could understand.
#include "gang/program.h"

#include <filesystem>

#include "app/command.h"
#include "app/doctor/task.h"
#include "app/torch_library.h"
#include "base/fault.h"
#include "os/standard_descriptors.h"
#include "os/thrown.h"
#include "pipeline/batch_run.h"
#include "pipeline/fit_task.h"
#include "protium/session.h"
#include "spark_worker/worker.h"
#include "tasks/tasks.h"
#include "terminal/printing.h"
#include "workers/workers.h"

namespace protium {

namespace {

// In a program's own code a plain Status::Invalid means that its job failed. Unwrapped it would
// count as a bug of ours (FaultOf) and ask the user to report it.
Status OfTheProgram(const Status& status) {
  const bool plain = !status.ok() && status.detail() == nullptr;
  if (!plain || FaultOf(status).exit != Exit::kBug) return status;
  return Fail({.what = status.message()});
}

// The tasks for training and scoring without LibTorch, with the program's own metrics.
TaskTable PlainTasks(const Program& program) {
  TaskRows rows = PlainRows();
  rows.metrics = OwnMetrics(program.catalogue);
  return TasksOver(rows);
}

TaskTable CollectTasks(const Program& program) {
  TaskTable tasks = {{"fit", FitTask}, {"stages", StagesTask}, {kProgramTask, ProgramTask}};
  tasks["reach"] = ReachTask;
  tasks["doctor"] = [own = program.catalogue](TaskContext& context) {
    return DoctorTask(context, own.get());
  };
  tasks.merge(PlainTasks(program));
  for (const auto& [name, task] : program.tasks) {
    tasks[name] = [own = task](TaskContext& context) { return OfTheProgram(own(context)); };
  }
  return tasks;
}

int StartProgram(int argc, char** argv, const Program& program) {
  // Called only if a requested task is not in the table, so that only workers that train or score
  // with LibTorch load it.
  const auto torch_tasks = [&] { return LoadTorchTasks(program.catalogue.get()); };
  if (IsWorker()) return WorkerMain(CollectTasks(program), torch_tasks);
  if (IsSparkWorker()) return SparkWorkerMain(CollectTasks(program), torch_tasks);
  Invocation invocation{.name = std::filesystem::path(argc > 0 ? argv[0] : "protium").filename(),
                        .argv = {argv, argv + argc}};
  Program own = program;
  own.run = [&](Session& session) { return OfTheProgram(program.run(session)); };
  if (program.run) invocation.program = &own;
  return RunCommand(invocation);
}

}  // namespace

// The last wall: whatever any library throws becomes one message, not a crash.
int Main(int argc, char** argv, const Program& program) {
  TakeStandardDescriptors();
  Fault fault;
  try {
    return StartProgram(argc, argv, program);
  } catch (...) {
    fault = FaultOf(FaultOfThrown());
  }
  PrintNote(Render(fault));
  return static_cast<int>(fault.exit);
}

}  // namespace protium
