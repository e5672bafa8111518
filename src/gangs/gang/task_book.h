// SPDX-License-Identifier: Apache-2.0
// Which tasks a process can run, by name. Tasks that need LibTorch are in a library of their own,
// which a worker loads with its first such task: others start without it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gang/task.h"

namespace protium {

// Whether it is the library's own implementation that runs. Training and scoring are implemented
// twice, with LibTorch and without; any other task that needs LibTorch opens it by itself.
inline bool RunsInLibrary(const MapTask& task) {
  return task.needs.torch &&
         (task.role == MapTask::Role::kTrain || task.role == MapTask::Role::kScore);
}

// The tasks of a worker by name: those that are there, and those of a library that is loaded when
// one of them is first needed. One thread.
class TaskBook {
 public:
  // Both must outlive the book. `more` loads the library's tasks; it may be empty.
  TaskBook(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more)
      : tasks_(tasks), more_(more) {}

  // The task of this name, with `torch` the library's where it has one. An unknown name is a fault
  // (kUsage) with the nearest.
  Result<Task> Find(const std::string& name, bool torch = false);
  // Loads the library, if it is not loaded yet.
  Status Load();
  // The same, ahead of need: beside it runs what is needed now, such as the ETL, which keeps the
  // cores where they are short. Returns when it is loaded.
  Status LoadAhead();
  bool loaded() const { return loaded_.has_value(); }

 private:
  const TaskTable& tasks_;
  const std::function<Result<TaskTable>()>& more_;
  std::optional<TaskTable> loaded_;
};

}  // namespace protium
