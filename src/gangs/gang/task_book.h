// SPDX-License-Identifier: Apache-2.0
// Which tasks a process can run, by name. Tasks that need LibTorch are in a separate library, which
// a worker loads for its first such task; other workers start without it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gang/task.h"

namespace protium {

// Whether the library's own implementation runs. Training and scoring are implemented twice, with
// LibTorch and without; any other task that needs LibTorch opens it by itself.
inline bool RunsInLibrary(const MapTask& task) {
  return task.needs.torch &&
         (task.role == MapTask::Role::kTrain || task.role == MapTask::Role::kScore);
}

// The tasks of a worker by name: those built in, and those of a library that is loaded when one of
// them is first needed. One thread.
class TaskBook {
 public:
  // Both must outlive the book. `more` loads the library's tasks; it may be empty.
  TaskBook(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more)
      : tasks_(tasks), more_(more) {}

  // Returns the task of this name; with `torch` the library's version if it has one. An unknown
  // name is an error (kUsage) that suggests the nearest name.
  Result<Task> Find(const std::string& name, bool torch = false);
  // Loads the library unless it is loaded already.
  Status Load();
  // Same as Load(), but before it is needed: work that is needed now, such as the ETL, runs beside
  // it and gets the cores first where they are scarce. Returns when the library is loaded.
  Status LoadAhead();
  bool loaded() const { return loaded_.has_value(); }

 private:
  const TaskTable& tasks_;
  const std::function<Result<TaskTable>()>& more_;
  std::optional<TaskTable> loaded_;
};

}  // namespace protium
