// SPDX-License-Identifier: Apache-2.0
#include "gang/task_book.h"

#include "base/fault.h"
#include "base/nearest.h"

namespace protium {

Status TaskBook::Load() {
  if (loaded_ || !more_) return Status::OK();
  PT_LET(loaded_, more_());
  return Status::OK();
}

Result<Task> TaskBook::Find(const std::string& name) {
  if (const auto found = tasks_.find(name); found != tasks_.end()) return found->second;
  PT_TRY(Load());
  std::vector<std::string> known;
  for (const auto& [each, task] : tasks_) known.push_back(each);
  if (loaded_) {
    if (const auto found = loaded_->find(name); found != loaded_->end()) return found->second;
    for (const auto& [each, task] : *loaded_) known.push_back(each);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "no task is called \"" + name + "\"",
               .fix = Suggest(name, known)});
}

}  // namespace protium
