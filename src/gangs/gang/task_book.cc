// SPDX-License-Identifier: Apache-2.0
#include "gang/task_book.h"

#include <sys/resource.h>

#include <thread>

#include "base/fault.h"
#include "base/nearest.h"

namespace protium {
namespace {

// Gets a tenth of others' share of a busy core; all of an idle one (sched(7)).
constexpr int kNice = 10;

}  // namespace

Status TaskBook::Load() {
  if (loaded_ || !more_) return Status::OK();
  PT_LET(loaded_, more_());
  return Status::OK();
}

// In Linux each thread has its own nice value (setpriority(2)), and only a privileged one may lower
// it again: so the thread that steps back is one that ends here, not the one that runs tasks later.
Status TaskBook::LoadAhead() {
  Status loaded;
  std::thread([&] {
    ::setpriority(PRIO_PROCESS, 0, kNice);
    loaded = Load();
  }).join();
  return loaded;
}

Result<Task> TaskBook::Find(const std::string& name, bool torch) {
  if (torch) PT_TRY(Load());
  const auto own = tasks_.find(name);
  const bool there = torch && loaded_ && loaded_->contains(name);
  if (own != tasks_.end() && !there) return own->second;
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
