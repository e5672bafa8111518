// SPDX-License-Identifier: Apache-2.0
// Which tasks a process can run, by name. Tasks that need LibTorch are in a library of their own,
// which a worker loads with its first such task: others start without it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gang/task.h"

namespace protium {

// The tasks of a worker by name: those that are there, and those of a library that is loaded when
// one of them is first needed. One thread.
class TaskBook {
 public:
  // Both must outlive the book. `more` loads the library's tasks; it may be empty.
  TaskBook(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more)
      : tasks_(tasks), more_(more) {}

  // An unknown name is a fault (kUsage) with the nearest.
  Result<Task> Find(const std::string& name);
  // Loads the library, if it is not loaded yet.
  Status Load();
  // The same, ahead of need: beside it runs what is needed now, such as the ETL, which keeps the
  // cores where they are short. Returns when it is loaded.
  Status LoadAhead();
  bool loaded() const { return loaded_.has_value(); }
  // Is it one of those that need no library?
  bool Has(const std::string& name) const { return tasks_.contains(name); }

 private:
  const TaskTable& tasks_;
  const std::function<Result<TaskTable>()>& more_;
  std::optional<TaskTable> loaded_;
};

}  // namespace protium
